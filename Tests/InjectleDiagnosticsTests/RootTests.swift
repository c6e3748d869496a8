import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

extension ServiceKey<String> {
    fileprivate static let device = Self("device")
    fileprivate static let token = Self("token")
}

private final class ProfileModel {
    @Inject(.device) var device
    @Inject var disk: Disk
}

/// Roots as closures: objects that the program creates itself.
@Suite struct RootTests {
    private let locator = Locator("app")

    private func registerServices() {
        locator.register(.lazy { Disk() })
        locator.register(.eager("phone"), for: .device)
    }

    @Test func `A property's key that is not registered is a fault with that key`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.eager("secret"), for: .token)
        let finding = try #require(locator.validate { ProfileModel() }.first)
        #expect(finding.kind == .missing && !finding.isNote)
        #expect(
            finding.message
                == "The property `device` of InjectleDiagnosticsTests.ProfileModel needs String under the key "
                + "InjectleDiagnosticsTests.device, which is not registered."
        )
        #expect(finding.location == "InjectleDiagnosticsTests/RootTests.swift:12")
        #expect(finding.fix.hasPrefix("locator.register(.lazy { … }, for: .device), or "))
        #expect(throws: Locator.CheckFailure.self) { try locator.check { ProfileModel() } }
        registerServices()
        try locator.check(.strict, roots: [Locator.Identity(String.self, key: ServiceKey<String>.token)]) {
            ProfileModel()
        }
    }

    @Test func `Each object of a closure is a root`() throws {
        final class CartModel { @Inject var pool: Pool }
        registerServices()
        let isLoggedIn = true
        let findings = locator.validate {
            ProfileModel()
            if isLoggedIn { CartModel() }
            for _ in 0..<2 { CartModel() }
        }
        #expect(findings.map(\.kind) == [.missing])
        #expect(findings.first?.dependency == "InjectleDiagnosticsTests.Pool")
        locator.register(.lazy { Pool() })
        try locator.check {
            ProfileModel()
            CartModel()
        }
    }

    @Test func `An object that another one creates is checked, too`() {
        final class Window { let model = ProfileModel() }
        registerServices()
        locator.unregister(String.self, key: ServiceKey<String>.device)
        #expect(
            locator.validate { Window() }.map(\.dependency) == ["String under the key InjectleDiagnosticsTests.device"]
        )
    }

    @Test func `Properties that resolve at once are checked, and nothing is created`() throws {
        final class Page {
            @Injected(resolve: .eager) var disk: Disk
            @Injected(.device, resolve: .eager) var device: String
            let roster = Injected<Roster>(resolve: .eager)
        }
        locator.register(.lazy { try neverCreated(Disk.self) })
        locator.register(.lazy { try neverCreated(String.self) }, for: .device)
        #expect(locator.validate { Page() }.map(\.dependency) == ["InjectleDiagnosticsTests.Roster"])
        locator.register(.lazy { try neverCreated(Roster.self) })
        try locator.check(.strict) { Page() }
        #expect(locator.registrations.allSatisfy { !$0.isCreated })
    }

    @Test func `An initializer that resolves gets the services of a copy`() throws {
        struct Page {
            init() throws { _ = try Locator.shared.resolve(Pool.self) }
        }
        let finding = try #require(locator.validate { try Page() }.first)
        #expect(finding.kind == .creationFailed)
        #expect(
            finding.message.hasSuffix(
                ".Page cannot be created. No service is registered as InjectleDiagnosticsTests.Pool."
            )
        )
        locator.register(.lazy { Pool() })
        try locator.check { try Page() }
        #expect(locator.registrations.allSatisfy { !$0.isCreated })
    }

    @Test func `The path of an error in an initializer begins with the type of the object`() throws {
        final class Reader {
            init() throws {
                do {
                    _ = try Locator.shared.resolve(Pool.self)
                } catch {
                    #expect(error.path.map(\.description) == ["InjectleDiagnosticsTests.RootTests.Reader"])
                    throw error
                }
            }
        }
        let findings = locator.validate {
            try Reader()
            try Reader()
        }
        #expect(findings.map(\.kind) == [.creationFailed])
    }

    @Test @MainActor func `Objects of the main actor are roots`() throws {
        @MainActor final class Model {
            @Inject var disk: Disk
            init() { MainActor.preconditionIsolated() }
        }
        #expect(locator.validate { Model() }.map(\.kind) == [.missing])
        locator.register(.lazy { Disk() })
        try locator.check { Model() }
    }

    @Test func `A root leads to the services of its properties`() {
        registerServices()
        locator.register(.lazy { Pool() })
        #expect(locator.validate { ProfileModel() }.map(\.service) == ["InjectleDiagnosticsTests.Pool"])
        #expect(locator.validate(roots: Pool.self) { ProfileModel() } == [])
    }

    @Test func `Objects are created with their services by the check that creates`() async throws {
        final class Page { @Injected(resolve: .eager) var disk: Disk }
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        locator.register(.lazy { Disk() })
        #expect(try await locator.checkByCreating(.strict) { Page() }.created == 2)
        locator.unregister(Disk.self)
        let error = await #expect(throws: Locator.CheckFailure.self) { try await locator.checkByCreating { Page() } }
        #expect(error?.findings.map(\.kind) == [.missing])
    }

    @Test func `An object gets the async services of the check that creates`() async throws {
        final class Page { @Injected(resolve: .eager) var pool: Pool }
        locator.register(.lazy { () async in Pool() })
        #expect(try await locator.checkByCreating(.strict) { Page() }.created == 1)
    }

    // MARK: Objects of registered types

    private struct Flags: Sendable {}

    @Test func `An object shows the keys of the properties of its registration, and is its root`() throws {
        final class Model { @Inject(.device) var device }
        locator.register(.volatile { Model() }.depending())
        locator.register(.eager("secret"), for: .device)
        try locator.check(.strict) { Model() }
        #expect(locator.validate(roots: Model.self).map(\.kind) == [.unknownKey])
    }

    @Test func `A key with a default is no fault of an object, nor of a service that the check creates`() async throws {
        final class Model { @Inject(ServiceKey<Flags>("flags", default: .lazy(.anywhere) { Flags() })) var flags }
        locator.register(.lazy { Model() })
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .missing)
        #expect(finding.fix.contains("also one with a default, check an object, which shows its keys: `check { "))
        try locator.check { Model() }
        try await locator.checkByCreating()
    }

    @Test func `A property that its type shows needs no declaration`() async throws {
        final class Reading { @Inject var disk: Disk }
        final class Keeping { @Injected(resolve: .eager) var disk: Disk }
        locator.register(.lazy { Disk() })
        locator.register(.volatile { Reading() }.depending())
        locator.register(.initializer(Keeping.init).lifetime(.volatile))
        try await locator.checkByCreating(.strict)
    }

    // MARK: Roots that are types

    @Test func `A key that only the closure shows is a note with the keys of the type`() throws {
        struct Reader { @Inject(.device) var device }
        locator.register(.eager("secret"), for: .token)
        let finding = try #require(locator.validate(roots: Reader.self).first { $0.kind == .unknownKey })
        #expect(finding.message.contains("only under keys (InjectleDiagnosticsTests.token)"))
        #expect(finding.fix.hasPrefix("check an object, which shows its keys: `check { "))
        #expect(!finding.fix.contains("token"))
    }

    @Test func `An object whose methods resolve is created by the check, with what they resolve as a root`() throws {
        final class Router {
            func go() throws { _ = try Locator.shared.resolve(Disk.self) }
        }
        locator.register(.lazy { Disk() })
        let findings = locator.validate(roots: Router.self)
        #expect(findings.map(\.kind) == [.missing, .unreachable])
        #expect(findings.map(\.isNote) == [false, true])
        try locator.check(roots: Disk.self) { Router() }
    }

    @Test func `What a closure without a declaration may resolve is unreachable by a note only`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { locator in Repository(disk: try locator.resolve()) })
        try locator.check(roots: Repository.self)
        let findings = locator.validate(roots: Repository.self)
        #expect(findings.map(\.kind) == [.unreachable, .undeclared])
        #expect(findings.allSatisfy { $0.isNote })
    }
}

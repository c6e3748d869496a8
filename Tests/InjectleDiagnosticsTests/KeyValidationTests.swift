import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

extension ServiceKey<Disk> {
    fileprivate static let archive = Self("archive")
    fileprivate static let scratch = Self("scratch", default: .lazy { try neverCreated(Disk.self) })
}
extension ServiceKey<Repository> {
    fileprivate static let main = Self("main", default: .initializer(Repository.init))
}
private struct Backup {
    let from: Disk
    let to: Disk
}

/// Dependencies by keys that know their type.
@Suite struct KeyValidationTests {
    private let locator = Locator("app")

    private var kinds: [Locator.Finding.Kind] { locator.validate().map(\.kind) }

    private func registerBackup() {
        locator.register(
            .lazy { locator in Backup(from: try locator.resolve(.archive), to: try locator.resolve()) }
                .depending(on: .archive)
                .depending(on: Disk.self)
        )
    }

    @Test func `A dependency whose key is not registered is missing`() throws {
        registerBackup()
        locator.register(.lazy { Disk() })
        let finding = try #require(locator.validate().first)
        #expect(finding.kind == .missing)
        #expect(finding.dependency?.hasSuffix("Disk under the key InjectleDiagnosticsTests.archive") == true)
        #expect(finding.fix == "locator.register(.lazy { … }, for: .archive), or resolve without a key")
    }

    @Test func `Dependencies with registered keys are found`() {
        registerBackup()
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Disk() }, for: .archive)
        #expect(kinds == [])
        #expect(locator.graph.dependencies.count == 2)
    }

    @Test func `A key with a default is not missing, and nothing is created`() {
        locator.register(.lazy { 7 }.depending(on: Disk.self, key: ServiceKey<Disk>.scratch))
        #expect(kinds == [])
        #expect(locator.registrations.allSatisfy { !$0.isCreated })
    }

    @Test func `The dependencies of a default are checked`() {
        locator.register(.lazy { 7 }.depending(on: Repository.self, key: ServiceKey<Repository>.main))
        #expect(kinds == [.missing])
        locator.register(.lazy { Disk() })
        #expect(kinds == [])
        #expect(locator.explain(Repository.self, key: ServiceKey<Repository>.main).dependencies.count == 1)
    }
}

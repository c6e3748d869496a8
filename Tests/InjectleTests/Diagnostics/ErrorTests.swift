import Foundation
import Injectle
import InjectleTestSupport
import Testing

private protocol Car: Sendable {}
private struct Beetle: Car {}
private struct Taxi: Car {}
// Not private: the runtime does not find a private protocol by its name.
protocol Bicycle: Sendable {}
private struct Tandem: Bicycle {}
private struct Unicycle: Bicycle {}
private struct Secret: Sendable, CustomStringConvertible {
    var description: String { "the contents of a service" }
}

/// The one error type: kinds, texts and fixes.
@Suite struct ErrorTests {
    private let locator = Locator("garage")

    /// Returns the text of an error without line numbers of this file.
    private func text(_ body: () throws -> Void) -> String {
        (thrown(by: body)?.description ?? "").replacing(/Tests\.swift:\d+/, with: "Tests.swift:0")
    }

    // MARK: Missing services

    @Test func `A missing service error names the request and the fix`() {
        #expect(
            text { _ = try locator.resolve((any Car).self, key: "night") } == """
                No service is registered as any InjectleTests.Car under the key "night".
                  requested by  resolve in InjectleTests/ErrorTests.swift:0
                  searched      the locator "garage"
                  fix           locator.register(.lazy { … }, for: (any InjectleTests.Car).self, key: "night")
                """
        )
    }

    @Test func `A missing service error contains the dependency path`() {
        locator.register(.lazy { locator in "\(try locator.resolve((any Car).self))" })
        locator.register(.volatile { locator in [try locator.resolve(String.self)] })
        let error = thrown { _ = try locator.resolve([String].self) }
        #expect(error?.identity == Locator.Identity((any Car).self))
        #expect(error?.path == [Locator.Identity([String].self), Locator.Identity(String.self)])
        #expect(error?.description.contains("path          Array<String> → String → any InjectleTests.Car") == true)
    }

    @Test func `An error names the innermost and the outermost request`() throws {
        let inner: UInt = #line + 1
        locator.register(.lazy { locator in "\(try locator.resolve((any Car).self))" })
        locator.register(.volatile { locator in [try locator.resolve(String.self)] })
        locator.register(.volatile { locator in try locator.resolve([String].self).count })
        let error = thrown { _ = try locator.resolve(Int.self) }
        let outer: UInt = #line - 1
        let lines = error?.description.split(separator: "\n").dropFirst().prefix(2)
        #expect(
            lines == [
                "  requested by  resolve in InjectleTests/ErrorTests.swift:\(inner)",
                "  started by    resolve in InjectleTests/ErrorTests.swift:\(outer)",
            ]
        )
    }

    @Test func `An error names the list or the async call that started the request`() async {
        locator.register(.lazy { locator in "\(try locator.resolve((any Car).self))" }.contributing(to: String.self))
        let line: UInt = #line + 1
        let list = thrown { _ = try locator.resolveAll(String.self) }?.description ?? ""
        #expect(list.contains("  started by    resolveAll in InjectleTests/ErrorTests.swift:\(line)\n"))
        locator.register(.lazy { locator in [try await locator.resolveAsync(Taxi.self)] })
        let awaited = await thrown { try await locator.resolveAsync([Taxi].self) }
        let text = awaited?.description ?? ""
        #expect(text.contains("  requested by  resolveAsync in InjectleTests/ErrorTests.swift:\(line + 2)\n"))
        #expect(text.contains("  started by    resolveAsync in InjectleTests/ErrorTests.swift:\(line + 3)\n"))
    }

    #if os(macOS) || os(Linux)
    @Test(.processWide) func `An error names the property that started the request`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            struct Trip: Sendable {}
            Locator.default.register(
                .lazy { locator in
                    _ = try locator.resolve((any Car).self)
                    return Trip()
                }
            )
            let property = Inject<Trip>()
            _ = property()
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains(/InjectleTests\/ErrorTests.swift:\d+: Fatal error: No service is registered/))
        #expect(text.contains(/requested by  resolve in InjectleTests\/ErrorTests.swift/))
        #expect(text.contains(/started by    @Inject in InjectleTests\/ErrorTests.swift/))
    }
    #endif

    @Test func `A direct request is named once`() {
        locator.register(.lazy { () throws -> Beetle in throw CancellationError() })
        #expect(!text { _ = try locator.resolve(Beetle.self) }.contains("started by"))
        #expect(!text { _ = try locator.resolve(Taxi.self) }.contains("started by"))
    }

    @Test func `A missing service error suggests another key`() {
        locator.register(.eager(Beetle()), key: "day")
        let text = text { _ = try locator.resolve(Beetle.self, key: "night") }
        #expect(text.contains("similar       InjectleTests.Beetle under the key \"day\", registered in InjectleTests/"))
        #expect(text.contains("fix           resolve with the key \"day\"\n"))
        #expect(text.contains("\n  or            locator.register(.lazy { … }, for: InjectleTests.Beetle.self, key: "))
    }

    @Test func `A missing service error suggests a type that conforms, before it has an instance`() {
        locator.register(.lazy { () throws -> Tandem in throw CancellationError() })
        locator.register(.initializer(Unicycle.init), key: "night")
        locator.register(.lazy { 1 })
        let text = text { _ = try locator.resolve((any Bicycle).self) }
        #expect(
            text.contains(
                "similar       InjectleTests.Tandem, which is of this type, registered in InjectleTests/Error"
            )
        )
        #expect(
            text.contains(
                "similar       InjectleTests.Unicycle under the key \"night\", which is of this type, registered"
            )
        )
        #expect(text.contains("fix           add `.as((any InjectleTests.Bicycle).self)` to the registration in Inj"))
        #expect(!text.contains("Int"))
    }

    @Test func `A missing service error suggests an instance that conforms, whose registration is of a protocol`()
        throws
    {
        locator.register(.lazy { Beetle() as any Sendable })
        #expect(!text { _ = try locator.resolve((any Car).self) }.contains("similar"))
        _ = try locator.resolve((any Sendable).self)
        let text = text { _ = try locator.resolve((any Car).self) }
        #expect(
            text.contains("similar       Any, which is of this type, registered in InjectleTests/Error")
        )
    }

    @Test func `A missing dependency error suggests the child that has it`() throws {
        struct Trip: Sendable { let car: any Car }
        locator.register(.lazy { locator in Trip(car: try locator.resolve()) })
        let request = locator.child("request") { $0.register(.lazy { Beetle() }, for: (any Car).self) }
        var text = text { _ = try request.resolve(Trip.self) }
        #expect(text.contains("searched      the locator \"garage\"\n"))
        #expect(text.contains("similar       registered in the locator \"request\", a child"))
        let note =
            "ErrorTests.Trip (lazy) resolves from its own locator, the locator \"garage\", and not from a child\n"
        #expect(text.contains("note          InjectleTests.\(note)"))
        #expect(
            text.contains("fix           create InjectleTests.ErrorTests.Trip once per \"request\": `.lifetime(.perLoc")
        )
        // A request to the parent itself has another fix.
        text = self.text { _ = try locator.resolve((any Car).self) }
        #expect(text.contains("similar       registered in the locator \"request\", a child"))
        #expect(!text.contains("perLocator"))
        let fix = "resolve from a child that has any InjectleTests.Car, and register it there: child.register("
        #expect(text.contains("fix           \(fix)"), "\(text)")
        locator.register(.lazy { locator in Trip(car: try locator.resolve()) }.lifetime(.perLocator))
        #expect(try request.resolve(Trip.self).car is Beetle)
    }

    @Test func `A missing dependency error names a child that is bound in the task, and one of a child`() {
        locator.register(.lazy { locator in "\(try locator.resolve((any Car).self))" })
        let request = locator.child("session").child("request") { $0.register(.eager(Beetle()), for: (any Car).self) }
        let text = text {
            _ = try Locator.$shared.withValue(request) { () throws in try request.resolve(String.self) }
        }
        #expect(text == self.text { _ = try request.resolve(String.self) })
        #expect(text.contains("similar       registered in the locator \"request\", a child"))
        #expect(text.contains("fix           create String once per \"request\""))
    }

    @Test func `perLocator is suggested only for services that a parent shares`() throws {
        struct Trip: Sendable { let car: any Car }
        struct Plan: Sendable { let trip: Trip }
        let request = locator.child("request") { $0.register(.lazy { Beetle() }, for: (any Car).self) }
        // Each child has its own already: the request went to the wrong locator.
        locator.register(.lazy { locator in Trip(car: try locator.resolve()) }.lifetime(.perLocator))
        #expect(!text { _ = try locator.resolve(Trip.self) }.contains("once per"))
        // The outer service needs the change.
        locator.register(.lazy { locator in Plan(trip: try locator.resolve()) })
        let text = text { _ = try request.resolve(Plan.self) }
        #expect(
            text.contains("fix           create InjectleTests.ErrorTests.Plan once per \"request\": `.lifetime(.perLoc")
        )
        // A service of another locator does not help the children of this one.
        let other = Locator("other")
        other.register(.lazy { [locator] in Trip(car: try locator.resolve()) })
        #expect(!self.text { _ = try other.resolve(Trip.self) }.contains("perLocator"))
    }

    @Test(.processWide) func `A missing service error names the override and the default locator`() throws {
        Locator.default.register(.eager(Beetle()))
        try Locator.$shared.withValue(locator) { () throws in
            let text = text { _ = try Locator.shared.resolve(Beetle.self) }
            #expect(text.contains("searched      the locator \"garage\", bound in a task"))
            #expect(text.contains("similar       registered in the default locator"))
            #expect(text.contains("fix           locator.register(.lazy { … }, for: InjectleTests.Beetle.self)"))
            #expect(text.contains("or            make it a child, which inherits registrations: Locator.default.c"))
        }
    }

    @Test func `An isolation error of an initializer names its form`() async {
        struct Trip: Sendable { let car: any Car }
        let actor = ProbeActor()
        locator.register(.initializer(Trip.init, isolation: actor))
        let text = text { _ = try locator.resolve(Trip.self) }
        #expect(text.contains("in a `nonisolated` function, or by `.initializer(.anywhere, …)`"), "\(text)")
    }

    @Test func `A circle of eager properties proposes the wrapper that resolves later`() {
        final class First { @Injected(resolve: .eager) var second: Second }
        final class Second { @Injected(resolve: .eager) var first: First }
        locator.register(.lazy { First() })
        locator.register(.lazy { Second() })
        let text = text { _ = try locator.resolve(First.self) }
        #expect(text.contains("fix           use `@Inject`, which resolves when it is read"), "\(text)")
    }

    @Test func `An async service per locator can be created by the start of its locator`() async throws {
        let session = locator.child("session")
        locator.register(.lazy { () async in Beetle() }.lifetime(.perLocator(named: "session")))
        let text = text { _ = try session.resolve(Beetle.self) }
        #expect(text.contains("or            try await locator.start(), before it is requested"), "\(text)")
        try await session.start()
        _ = try session.resolve(Beetle.self)
    }

    @Test func `A contribution of another type names its modifier`() {
        locator.register(.lazy { 7 }.contributing(to: (any Car).self))
        let text = text { _ = try locator.resolveAll((any Car).self) }
        #expect(text.contains("or remove `.contributing(to: (any InjectleTests.Car).self)`"), "\(text)")
    }

    @Test func `A service that lacks an argument is once in its path`() {
        struct Trip: Sendable { let number: Int }
        locator.register(.initializer(Trip.init).arguments(Int.self).lifetime(.volatile))
        let text = text { _ = try locator.resolve(Trip.self) }
        #expect(text.contains("its initializer takes Int from its callers"))
        #expect(!text.contains(" → "), "\(text)")
    }

    @Test func `An isolation error suggests the anywhere form`() {
        let actor = ProbeActor()
        func mend(_ registration: Locator.Registration<Int>) -> Substring? {
            locator.register(registration)
            let text = thrown { _ = try locator.resolve(Int.self) }?.description ?? ""
            return text.firstMatch(of: /if any thread may create it, register it in a `nonisolated` function, or (.*)/)?
                .1
        }
        #expect(mend(.lazy(isolation: actor) { 1 }) == "with `.lazy(.anywhere) { … }`")
        #expect(mend(.volatile(isolation: actor) { 1 }) == "with `.volatile(.anywhere) { … }`")
        let perLocator = mend(.lazy(isolation: actor) { 1 }.lifetime(.perLocator))
        #expect(perLocator == "with `.lazy(.anywhere) { … }.lifetime(…)`")
        let composite = mend(.lazy(isolation: actor) { 1 }.lifetime(.composite(.lazy)))
        #expect(composite == "with `.lazy(.anywhere) { … }.lifetime(…)`")
    }

    @Test func `A missing dependency of an optional service is an error`() throws {
        #expect(try locator.resolveOptional(Int.self) == nil)
        locator.register(.lazy { locator in "\(try locator.resolve(Beetle.self))" })
        #expect(thrown { _ = try locator.resolveOptional(String.self) } == .missing)
    }

    // MARK: Other errors

    @Test func `A nil for an optional type is said to be nil`() {
        locator.register(.lazy { Tandem?.none }.as((any Bicycle).self))
        let text = text { _ = try locator.resolve((any Bicycle).self) }
        #expect(text.hasPrefix("The service that is registered as any InjectleTests.Bicycle is nil.\n"))
        #expect(text.contains("fix           return a service or throw an error"))
        let refused = self.text { try locator.register(.eager(Tandem?.none)) { _, _ throws in } }
        #expect(refused.hasPrefix("The service that is registered as InjectleTests.Tandem is nil.\n"))
        locator.register(.lazy { Int?(1) }.as((any Bicycle).self))
        #expect(
            self.text { _ = try locator.resolve((any Bicycle).self) }.contains(
                "is not of that type, but Optional<Int>."
            )
        )
    }

    @Test func `A key alone that leads to another type is said to be of that type`() {
        locator.register(.eager(Taxi()), key: "night")
        let text = text { _ = try locator.resolve(Beetle.self, key: "night") }
        let end = "under the key \"night\": the registration with that key is of InjectleTests.Taxi.\n"
        #expect(text.hasPrefix("No service is registered as InjectleTests.Beetle \(end)"))
    }

    @Test func `A factory error is wrapped once`() {
        struct Flat: Error {}
        locator.register(.lazy { () throws -> Beetle in throw Flat() })
        locator.register(.lazy { locator in [try locator.resolve(Beetle.self)] })
        let error = thrown { _ = try locator.resolve([Beetle].self) }
        #expect(error == .factoryFailed)
        #expect(error?.identity == Locator.Identity(Beetle.self))
        #expect(error?.underlying is Flat)
        #expect(error?.description.contains("path          Array<InjectleTests.Beetle> → InjectleTests.Beetle") == true)
    }

    @Test func `A forbidden reassignment names the existing registration`() {
        locator.register(.eager(Beetle()), key: "day")
        #expect(
            text { try locator.register(.eager(Beetle()), key: "day", and: forbidReassignment) } == """
                InjectleTests.Beetle under the key "day" is already registered in the locator "garage", and may not be replaced.
                  registered  in InjectleTests/ErrorTests.swift:0, as InjectleTests.Beetle under the key "day", eager
                  fix         locator.unregister(InjectleTests.Beetle.self, key: "day"), or pass `and: allowReassignment`
                """
        )
    }

    @Test func `Error texts never contain the contents of a service`() throws {
        locator.register(.eager(Secret()))
        locator.register(.eager(Secret()), key: "key")
        let texts = [
            text { _ = try locator.resolve(Beetle.self) },
            text { _ = try locator.resolve(Secret.self, key: "other") },
            text { _ = try locator.resolve(Beetle.self, key: "key") },
            text { try locator.register(.eager(Secret()), and: forbidReassignment) },
            locator.registrations.map(\.description).joined(),
        ]
        #expect(texts.allSatisfy { !$0.isEmpty && !$0.contains("the contents of a service") })
    }

    // MARK: The error type

    @Test func `An error is compared by its kind`() {
        let missing = thrown { _ = try locator.resolve(Beetle.self) }
        #expect(missing == .missing && missing != .wrongType)
        let any: (any Error)? = missing
        #expect((any as? InjectleError) == .missing)
        #expect(throws: InjectleError.missing) { try locator.resolve(Beetle.self) }
        #expect([InjectleError.deadlock, .missing].contains(missing))
        #expect(Set([missing, .missing, .deadlock]).count == 2)
    }

    @Test func `A program throws a kind without details`() throws {
        func forbid() throws { throw InjectleError.forbiddenReassignment }
        let kind: InjectleError = .forbiddenReassignment
        #expect(throws: kind) { try forbid() }
        #expect(thrown(by: forbid)?.identity == nil && thrown(by: forbid)?.path == [])
        #expect(text(forbid) == "A service is already registered, and may not be replaced.")
        #expect(throws: kind) { try locator.register(.eager(1), and: { _, _ throws in throw kind }) }
    }

    @Test func `Each kind without details has a text of its own`() {
        let kinds: [InjectleError] = [
            .missing, .wrongType, .wrongArguments, .wrongIsolation, .requiresAsync, .circularDependency, .deadlock,
            .factoryFailed, .forbiddenReassignment, .locatorClosed, .locatorNotFound,
            .invalidRegistration, .cancelled, .startTimedOut, .disposalFailed,
        ]
        #expect(Set(kinds).count == 15)
        #expect(Set(kinds.map(\.description)).count == 15)
        #expect(kinds.allSatisfy { $0.description.hasSuffix(".") && $0.identity == nil && $0.underlying == nil })
    }

    @Test func `A factory closure throws a kind without details to its caller`() {
        locator.register(.lazy { () throws -> Beetle in throw InjectleError.missing })
        let error = thrown { _ = try locator.resolve(Beetle.self) }
        #expect(error == .missing && error?.identity == nil)
        #expect(throws: InjectleError.missing) { try locator.resolveOptional(Beetle.self) }
    }

    @Test func `The text is built when it is printed`() throws {
        let missing = thrown { _ = try locator.resolve(Beetle.self, key: "night") }
        #expect(missing?.description.contains("similar") == false)
        locator.register(.eager(Beetle()), key: "day")
        #expect(missing?.description.contains("similar       InjectleTests.Beetle under the key \"day\"") == true)
    }

    @Test func `An error retains no instances and no closures`() throws {
        final class Part: Sendable {
            let tracked: Tracked
            init(_ log: Tracked.Log) { tracked = Tracked(log) }
        }
        let log = Tracked.Log()
        var errors: [InjectleError] = []
        do {
            let locator = Locator("ending")
            let captured = Part(log)
            locator.register(.eager(Part(log)))
            locator.register(.lazy { Part(log) }, key: "lazy")
            locator.register(.lazy { () throws -> [Part] in throw CancellationError() })
            locator.register(.volatile { locator in ([captured], try locator.resolve(Part.self, key: "missing")) })
            _ = try locator.resolve(Part.self, key: "lazy")
            errors += [thrown { _ = try locator.resolve([Part].self) }].compactMap(\.self)
            errors += [thrown { _ = try locator.resolve(([Part], Part).self) }].compactMap(\.self)
            errors += [thrown { try locator.register(.eager(Part(log)), and: forbidReassignment) }].compactMap(\.self)
        }
        #expect(errors == [.cancelled, .missing, .forbiddenReassignment])
        #expect(log.alive == 0)
        #expect(errors.allSatisfy { !$0.description.isEmpty })
    }

    @Test func `An error is one pointer wide`() {
        #expect(MemoryLayout<InjectleError>.size == MemoryLayout<UnsafeRawPointer>.size)
    }

    @Test func `The localized description equals the description`() throws {
        let error: any Error = try #require(thrown { _ = try locator.resolve(Beetle.self) })
        #expect(error.localizedDescription == "\(error)")
    }

    @Test func `Generic and local types are printed readably`() {
        struct Local: Hashable, Sendable {}
        let text = text { _ = try locator.resolve(Set<[Local?]>.self) }
        #expect(text.contains("No service is registered as Set<Array<Optional<InjectleTests.ErrorTests.Local>>>."))
    }
}

import Foundation
import Injectle
import InjectleTestSupport
import Testing

@MainActor private final class ViewModel {
    nonisolated init() {}
    @MainActor static func make() -> ViewModel {
        MainActor.preconditionIsolated()
        return ViewModel()
    }
}

/// Not `Sendable`.
private final class Notebook {
    init() {}
}

@MainActor private protocol Screen {}
@MainActor private struct Home: Screen {}

private actor Librarian {
    let locator: Locator

    init(locator: Locator) { self.locator = locator }

    func register() {
        locator.register(
            .lazy {
                self.preconditionIsolated()
                return Notebook()
            }
        )
    }

    func isThere() throws -> Bool {
        try locator.resolveOptional(Notebook.self) != nil
    }

    /// Registers services of this actor, and calls a function without isolation.
    func call(_ function: @Sendable (Locator) throws -> Void) rethrows {
        let make = { [self] in
            preconditionIsolated()
            return Notebook()
        }
        locator.register(.volatile { make() })
        locator.register(.volatile { make() }, key: "key")
        locator.register(.volatile { make() }.contributing(to: Notebook.self))
        locator.register(.volatile { (_, _: Int) in make() }, key: "argument")
        try function(locator)
    }
}

/// The ways to resolve, in functions that no actor isolates.
private enum Resolving: CaseIterable {
    case type, key, arguments, optional, list, lazy, provider, property, child, closure

    func callAsFunction(_ locator: Locator) throws {
        switch self {
        case .type: _ = try locator.resolve(Notebook.self)
        case .key: _ = try locator.resolve(Notebook.self, key: "key")
        case .arguments: _ = try locator.resolve(Notebook.self, key: "argument", arguments: 1)
        case .optional: _ = try #require(try locator.resolveOptional(Notebook.self))
        case .list: _ = try #require(try locator.resolveAll(Notebook.self).first)
        case .lazy: _ = try locator.resolve(Locator.Lazy<Notebook>.self)()
        case .provider: _ = try locator.resolve(Locator.Provider<Notebook>.self)()
        case .property: Locator.$shared.withValue(locator) { _ = Reader().notebook }
        case .child: _ = try locator.child().resolve(Notebook.self)
        case .closure:
            locator.register(.volatile(.anywhere) { locator in [try locator.resolve(Notebook.self)] })
            _ = try locator.resolve([Notebook].self)
        }
    }

    private final class Reader {
        @Inject var notebook: Notebook
    }
}

/// A factory runs on the actor where it was written or that the registration names.
@Suite struct IsolationTests {
    /// Waits long, so that no test depends on the load of the main actor.
    private let locator = Locator("isolation", mainActorTimeout: .seconds(600))

    // MARK: The main actor

    @Test @MainActor func `A factory registered on the main actor runs there`() throws {
        locator.register(.lazy { ViewModel.make() })
        locator.register(.volatile { Home() }, for: (any Screen).self)
        #expect(try locator.resolve(ViewModel.self) === locator.resolve(ViewModel.self))
        #expect(try locator.resolve((any Screen).self) is Home)
    }

    @Test func `A caller elsewhere waits for the main actor`() async throws {
        let locator = locator
        await MainActor.run {
            _ = locator.register(.lazy { ViewModel.make() })
            _ = locator.register(.volatile { Home() }, for: (any Screen).self)
        }
        let first = await onAnotherThread { try? locator.resolve(ViewModel.self) }
        let second = try await MainActor.run { try locator.resolve(ViewModel.self) }
        #expect(first === second)
        #expect(first != nil)
        #expect(await onAnotherThread { (try? locator.resolve((any Screen).self)) != nil })
        #expect(await onAnotherThread { Locator.$shared.withValue(locator) { Inject<ViewModel>()() } } === second)
    }

    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max) * 10])
    func `The wait for the main actor may be of any length`(_ limit: Duration) async {
        let locator = Locator("patient", mainActorTimeout: limit)
        locator.register(.lazy(.main) { ViewModel.make() })
        #expect(await onAnotherThread { (try? locator.resolve(ViewModel.self)) != nil })
    }

    @Test func `An anywhere service may depend on a main actor service`() async throws {
        let locator = locator
        locator.register(.lazy(.main) { ViewModel.make() })
        locator.register(.lazy(.anywhere) { locator in [try locator.resolve(ViewModel.self)] })
        #expect(await onAnotherThread { (try? locator.resolve([ViewModel].self))?.count } == 1)
    }

    @Test func `A cycle across the main actor is detected`() async {
        let locator = locator
        locator.register(.lazy(.main) { locator in try locator.resolve(String.self).count })
        locator.register(.lazy(.anywhere) { locator in "\(try locator.resolve(Int.self))" })
        let error = await onAnotherThread { () -> InjectleError? in
            do throws(InjectleError) {
                _ = try locator.resolve(String.self)
                return nil
            } catch {
                return error
            }
        }
        #expect(error == .circularDependency)
        #expect(error?.path == [Locator.Identity(String.self), Locator.Identity(Int.self)])
    }

    @Test func `The waiting main actor serves the thread it waits for`() async throws {
        let locator = locator
        let (begun, goOn) = (Signal(), Signal())
        locator.register(.lazy(.main) { ViewModel.make() })
        locator.register(
            .lazy(.anywhere) { locator -> [ViewModel] in
                begun.set()
                goOn.wait()
                return [try locator.resolve()]
            }
        )
        async let onThread = onAnotherThread { (try? locator.resolve([ViewModel].self))?.count }
        await begun.reached()
        let onMainActor = try await MainActor.run {
            goOn.set()
            return try locator.resolve([ViewModel].self).count
        }
        #expect(onMainActor == 1)
        #expect(await onThread == 1)
    }

    @Test(arguments: [false, true])
    func `A main actor factory sees the override of its caller`(whileItWaits: Bool) async throws {
        let locator = locator
        let override = Locator("override")
        let (begun, goOn) = (Signal(), Signal())
        locator.register(.lazy(.main) { Locator.shared === override })
        locator.register(
            .lazy(.anywhere) { locator -> [Bool] in
                begun.set()
                goOn.wait()
                return [try locator.resolve()]
            }
        )
        async let onThread = onAnotherThread {
            Locator.$shared.withValue(override) { (try? locator.resolve([Bool].self)) ?? [] }
        }
        await begun.reached()
        if whileItWaits {
            _ = try await MainActor.run {
                goOn.set()
                return try locator.resolve([Bool].self)
            }
        } else {
            goOn.set()
        }
        #expect(await onThread == [true])
    }

    @Test func `A blocked main actor throws instead of hanging`() async {
        let locator = locator
        locator.mainActorTimeout = .milliseconds(50)
        locator.register(.lazy(.main) { ViewModel.make() })
        let errors = await MainActor.run {
            // Blocks the main actor without the library's knowledge.
            let ended = DispatchSemaphore(value: 0)
            let error = Guarded<InjectleError?>(nil)
            Thread {
                do throws(InjectleError) { _ = try locator.resolve(ViewModel.self) } catch let failure {
                    error.withLock { $0 = failure }
                }
                ended.signal()
            }.start()
            ended.wait()
            return error.value
        }
        locator.mainActorTimeout = .seconds(600)
        #expect(errors == .wrongIsolation)
        #expect(errors?.description.contains("main actor") == true)
        #expect(errors?.description.contains("`.lazy(.anywhere) { … }`") == true)
        // The abandoned creation does not run later, and a new request succeeds.
        #expect(await onAnotherThread { (try? locator.resolve(ViewModel.self)) != nil })
    }

    @Test func `Threads that wait for one creation share its time-out`() async {
        let locator = locator
        locator.mainActorTimeout = .milliseconds(300)
        let (attempts, callers, threads) = (Counter(), Counter(), 16)
        locator.register(.lazy(.main) { ViewModel.make() })
        locator.register(
            .lazy(.anywhere) { locator -> [ViewModel] in
                attempts.increment()
                while callers.value < threads { sched_yield() }
                return [try locator.resolve()]
            }
        )
        let codes = await MainActor.run {
            let codes = Guarded<[InjectleError?]>([])
            onThreads(threads) { _ in
                callers.increment()
                let code = thrown { try locator.resolve([ViewModel].self) }
                codes.withLock { $0.append(code) }
            }
            return codes.value
        }
        #expect(codes == Array(repeating: .wrongIsolation, count: threads))
        // One attempt, and one of each thread that reached the creation after its end.
        #expect(attempts.value < threads / 2)
    }

    /// The error of a resolve on another thread while other code blocks the main actor.
    @MainActor private func codeBesideBlockedMainActor() -> InjectleError? {
        let (locator, found, done) = (locator, Guarded<InjectleError?>(nil), DispatchSemaphore(value: 0))
        Thread.detachNewThread {
            do throws(InjectleError) { _ = try locator.resolve(Notebook.self) } catch { found.withLock { $0 = error } }
            done.signal()
        }
        done.wait()
        return found.value
    }

    @Test func `A closure inherits the isolation where it is written`() async {
        let locator = locator
        await MainActor.run { _ = locator.register(.lazy { Notebook() }) }
        locator.mainActorTimeout = .zero
        #expect(await codeBesideBlockedMainActor() == .wrongIsolation)
        locator.register(.lazy { Notebook() })
        #expect(await codeBesideBlockedMainActor() == nil)
        locator.register(.lazy(.main) { Notebook() })
        #expect(await codeBesideBlockedMainActor() == .wrongIsolation)
        await MainActor.run { _ = locator.register(.lazy(.anywhere) { Notebook() }) }
        #expect(await codeBesideBlockedMainActor() == nil)
        await MainActor.run { locator.registerLazySingleton(Notebook()) }
        #expect(await codeBesideBlockedMainActor() == .wrongIsolation)
    }

    // MARK: Other actors

    @Test func `A service of an actor is created on that actor only`() async throws {
        let librarian = Librarian(locator: locator)
        await librarian.register()
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Notebook.self) }
        #expect(error == .wrongIsolation)
        #expect(error?.description.contains("the actor ConcurrencyTests.Librarian") == true)
        #expect(error?.description.contains("use `resolveAsync`, which runs on the actor") == true)
        #expect(try await librarian.isThere())
        // An existing instance is returned to any caller.
        _ = try locator.resolve(Notebook.self)
    }

    @Test(arguments: Resolving.allCases)
    private func `An actor creates its services also in functions that it calls`(resolving: Resolving) async throws {
        try await Librarian(locator: locator).call { locator in try resolving(locator) }
    }

    @Test func `Another actor cannot create the service of an actor`() async {
        let librarian = Librarian(locator: locator)
        await librarian.register()
        let other = Librarian(locator: locator)
        await #expect(throws: InjectleError.self) { try await other.isThere() }
        await #expect(throws: InjectleError.self) { try await MainActor.run { _ = try locator.resolve(Notebook.self) } }
    }

    @Test func `A registration does not retain its actor`() async {
        var librarian: Librarian? = Librarian(locator: locator)
        await librarian?.locator.registerNumber(on: librarian)
        let weakly = { [weak librarian] in librarian }
        librarian = nil
        #expect(weakly() == nil)
    }

    // MARK: Timeout

    @Test func `A child inherits the timeout of its parent`() {
        let locator = Locator(mainActorTimeout: .seconds(1))
        #expect(locator.child().mainActorTimeout == .seconds(1))
        #expect(Locator(parent: locator, mainActorTimeout: .seconds(3)).mainActorTimeout == .seconds(3))
        #expect(Locator().mainActorTimeout == .seconds(2))
    }
}

extension Locator {
    fileprivate func registerNumber(on actor: isolated Librarian?) {
        register(.volatile { 7 })
    }
}

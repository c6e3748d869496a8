import Foundation
import Injectle
import InjectleTestSupport

/// Services of the main actor, which threads and tasks request while it is free or blocked.
final class MainActorScene: Sendable {
    private enum Request {
        @TaskLocal static var name = "none"
    }

    final class Journal: Sendable {
        let lines: Counter
        init(_ lines: Counter) { self.lines = lines }
    }

    final class Screen: Sendable {}
    final class Session: Sendable {}

    final class Template: NSCopying, Sendable {
        func copy(with zone: NSZone? = nil) -> Any { Template() }
    }

    /// Reads its dependency when it is released.
    @MainActor private final class Model {
        @Inject private var journal: Journal
        isolated deinit { _ = journal.lines.increment() }
    }

    @MainActor fileprivate final class Presenter {
        static func load() async -> Presenter {
            await Task.yield()
            return Presenter()
        }
    }

    private final class Ticket: Hashable, Sendable {
        private let alive: Guarded<Int>
        init(_ alive: Guarded<Int>) {
            self.alive = alive
            alive.withLock { $0 += 1 }
        }
        deinit { alive.withLock { $0 -= 1 } }
        static func == (left: Ticket, right: Ticket) -> Bool { left === right }
        func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
    }

    private let violations: Violations

    init(_ violations: Violations) { self.violations = violations }

    func perform(_ random: inout SplitMix64) async {
        switch Int.random(in: 0..<5, using: &random) {
        case 0: await release(by: Int.random(in: 0..<4, using: &random))
        case 1: await MainActor.run { resolveForCaller() }
        case 2: await MainActor.run { resolveBothEnds() }
        case 3: await MainActor.run { waitTooLong() }
        default: await conform(Int.random(in: 0..<3, using: &random))
        }
    }

    /// A locator that ends elsewhere, whose object of the main actor reads another service in its `deinit`.
    private func release(by ending: Int) async {
        let lines = Counter()
        let fill: @MainActor @Sendable (Locator) -> Void = { locator in
            locator.register(.lazy(.anywhere) { Journal(lines) })
            locator.register(.lazy(.main) { Model() })
            _ = try? (locator.resolve(Journal.self), locator.resolve(Model.self))
        }
        var locator: Locator? = Locator("screens")
        if ending == 3 { await locator?.withChild("child") { child in await fill(child) } }
        if ending != 3, let locator { await fill(locator) }
        switch ending {
        case 0: await locator?.close()
        case 1: locator?.reset()
        default: locator = nil
        }
        let isRead = await waitUntil { lines.value == 1 }
        violations.require(isRead, "an object of the main actor is not released, ending \(ending)")
    }

    /// A closure of the main actor sees the task-locals of the caller that it is created for.
    @MainActor private func resolveForCaller() {
        let (locator, names) = (Locator("task-locals", mainActorTimeout: .seconds(600)), Guarded<[String]>([]))
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.main) {
                names.withLock { $0.append(Request.name) }
                return Screen()
            }
        )
        locator.register(
            .lazy(.anywhere) { locator in
                begun.set()
                goOn.wait()
                _ = try locator.resolve(Screen.self)
                return Session()
            }
        )
        Thread.detachNewThread { Request.$name.withValue("caller") { _ = try? locator.resolve(Session.self) } }
        begun.wait()
        goOn.set()
        // Waits for the other thread, which needs the main actor.
        let isResolved = Request.$name.withValue("main") { (try? locator.resolve(Session.self)) != nil }
        violations.require(isResolved, "the main thread gets no service that another one creates")
        violations.require(names.value == ["caller"], "a job of the main thread has the task-locals of \(names.value)")
    }

    /// A prototype and a service that require each other.
    @MainActor private func resolveBothEnds() {
        let locator = Locator("both ends", mainActorTimeout: .seconds(600))
        let (sessionBegun, templateBegun, ended) = (Signal(), Signal(), Signal())
        let other = Guarded<InjectleError?>(nil)
        func make() throws -> Template {
            templateBegun.set()
            _ = try locator.resolve(Session.self)
            return Template()
        }
        locator.register(.factory(try make()))
        locator.register(
            .lazy(.anywhere) { locator in
                sessionBegun.set()
                templateBegun.wait()
                _ = try locator.resolve(Template.self)
                return Session()
            }
        )
        Thread.detachNewThread {
            do throws(InjectleError) { _ = try locator.resolve(Session.self) } catch { other.withLock { $0 = error } }
            ended.set()
        }
        sessionBegun.wait()
        var own: InjectleError?
        do throws(InjectleError) { _ = try locator.resolve(Template.self) } catch { own = error }
        ended.wait()
        let isCircle = own == .circularDependency && other.value == .circularDependency
        violations.require(isCircle, "a circle over the main actor: \(own as Any), \(other.value as Any)")
    }

    /// Callers that a blocked main actor keeps waiting free their arguments.
    @MainActor private func waitTooLong() {
        let (locator, alive) = (Locator("blocked", mainActorTimeout: .milliseconds(1)), Guarded(0))
        locator.register(.volatile(.main) { (_, _: Ticket) in Screen() })
        let ended = Signal()
        Thread.detachNewThread {
            for _ in 0..<3 { _ = try? locator.resolve(Screen.self, arguments: Ticket(alive)) }
            ended.set()
        }
        ended.wait()
        violations.require(alive.value == 0, "\(alive.value) arguments of callers that have given up are alive")
    }

    /// A service under a protocol of the main actor, created from elsewhere.
    private func conform(_ request: Int) async {
        let locator = Locator("conformances")
        await MainActor.run {
            let registration = Locator.Registration.initializer(Presenter.load)
            locator.register(
                request == 2
                    ? registration.contributing(to: (any Presenting).self) : registration.as((any Presenting).self)
            )
        }
        let requests: [@Sendable () async -> InjectleError?] = [
            { await MainActorScene.error { _ = try await locator.start() } },
            { await MainActorScene.error { _ = try await locator.resolveAsync((any Presenting).self) } },
            { await MainActorScene.error { _ = try await locator.resolveAllAsync((any Presenting).self) } },
        ]
        if let error = await requests[request]() {
            violations.add("a conformance of the main actor, request \(request): \(error)")
        }
    }

    @concurrent private static func error(_ body: @Sendable () async throws -> Void) async -> InjectleError? {
        do { try await body() } catch { return error as? InjectleError }
        return nil
    }
}

private protocol Presenting {}
extension MainActorScene.Presenter: @MainActor Presenting {}

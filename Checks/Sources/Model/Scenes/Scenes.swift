import Foundation
import Injectle
import InjectleTestSupport

// Services whose promises hold for each request, whatever other threads and tasks do meanwhile. A scene registers them
// in a root that stays open, and records the promises that a request has broken.

/// The broken promises of a round.
final class Violations: Sendable {
    private let texts = Guarded<[String]>([])

    var all: [String] { texts.value }

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { add(text()) } }
}

/// All scenes of a round, or those that INJECTLE_FUZZ_SCENES names, which workers then perform alone.
final class Scenes: Sendable {
    static let named = Set(
        (ProcessInfo.processInfo.environment["INJECTLE_FUZZ_SCENES"] ?? "").split(separator: ",").map(String.init)
    )

    private struct Scene: Sendable {
        let name: String
        var perform: (@Sendable (inout SplitMix64) -> Void)?
        var performAsync: (@Sendable (inout SplitMix64) async -> Void)?
        var end: @Sendable () async -> Void = {}
    }

    let violations: Violations
    private let scenes: [Scene]

    init(in root: Locator) {
        let violations = Violations()
        self.violations = violations
        let circles = CircleScene(in: root, violations)
        let graphs = GraphScene(violations)
        let drafts = PrototypeScene(in: root, violations)
        let refusals = RefusalScene(in: root, violations)
        let tasks = TaskScene(in: root, violations)
        let pairs = PairScene(in: root, violations)
        let endings = EndingScene(in: root, violations)
        let composites = CompositeScene(in: root, violations)
        let decorators = DecoratorScene(in: root, violations)
        let modules = ModuleScene(in: root, violations)
        let disposers = DisposerScene(violations)
        let values = ValueScene(violations)
        let arguments = ArgumentScene(violations)
        let looks = LookScene(violations)
        let endless = EndlessScene(in: root, violations)
        let ages = AgeScene(violations)
        let starts = StartScene(violations)
        let firsts = FirstScene(violations)
        let children = ChildScene(violations)
        let screens = MainActorScene(violations)
        let actors = ActorScene(violations)
        let all = [
            Scene(
                name: "circles",
                perform: { circles.perform(&$0) },
                performAsync: { await circles.performAsync(&$0) },
                end: { circles.end() }
            ),
            Scene(
                name: "graphs",
                perform: { graphs.perform(&$0) },
                performAsync: { await graphs.performAsync(&$0) },
                end: { graphs.end() }
            ),
            Scene(name: "drafts", perform: { drafts.perform(&$0) }, performAsync: { _ in await drafts.performAsync() }),
            Scene(
                name: "refusals",
                perform: { refusals.perform(&$0) },
                performAsync: { await refusals.performAsync(&$0) },
                end: { await refusals.end() }
            ),
            Scene(name: "tasks", performAsync: { await tasks.perform(&$0) }, end: { await tasks.end() }),
            Scene(name: "pairs", perform: { pairs.perform(&$0) }),
            Scene(name: "endings", performAsync: { await endings.perform(&$0) }, end: { await endings.end() }),
            Scene(name: "composites", performAsync: { await composites.perform(&$0) }),
            Scene(name: "decorators", perform: { decorators.perform(&$0) }),
            Scene(name: "modules", perform: { _ in modules.perform() }),
            Scene(name: "disposers", perform: { disposers.perform(&$0) }),
            Scene(name: "values", perform: { values.perform(&$0) }),
            Scene(name: "arguments", perform: { arguments.perform(&$0) }),
            Scene(name: "looks", perform: { looks.perform(&$0) }),
            Scene(name: "endless", performAsync: { await endless.perform(&$0) }),
            Scene(name: "ages", perform: { ages.perform(&$0) }),
            Scene(name: "starts", performAsync: { await starts.perform(&$0) }),
            Scene(name: "firsts", perform: { firsts.perform(&$0) }, end: { firsts.end() }),
            Scene(
                name: "children",
                perform: { children.perform(&$0) },
                performAsync: { _ in await children.performAsync() },
                end: { await children.end() }
            ),
            Scene(name: "actors", performAsync: { await actors.perform(&$0) }),
            Scene(name: "screens", performAsync: { await screens.perform(&$0) }),
        ]
        scenes = all.filter { Scenes.named.isEmpty || Scenes.named.contains($0.name) }
    }

    /// Performs a request of a scene.
    func perform(_ random: inout SplitMix64) {
        scenes.filter { $0.perform != nil }.randomElement(using: &random)?.perform?(&random)
    }

    func performAsync(_ random: inout SplitMix64) async {
        let scene = scenes.filter { $0.performAsync != nil }.randomElement(using: &random)
        // A copy, since the generator of a worker cannot be passed on while it suspends.
        var copy = random
        _ = random.next()
        await scene?.performAsync?(&copy)
    }

    /// Waits for tasks that outlive their requests, and returns the broken promises, while the root is still open.
    func end() async -> [String] {
        for scene in scenes { await scene.end() }
        return violations.all
    }
}

/// Numbers that several workers get at about the same time.
final class Turns: Sendable {
    private let count = Counter()
    func next() -> Int { count.increment() / 4 }
}

/// Yields until a condition holds, for 20 seconds at most.
func waitUntil(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !condition() {
        if ContinuousClock.now > end { return false }
        await Task.yield()
    }
    return true
}

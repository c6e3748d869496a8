import Injectle
import InjectleTestSupport

// Services whose promises hold for each request, whatever other threads and tasks do meanwhile. A scene registers them in a
// root that stays open, and records the promises that a request has broken.

/// The broken promises of a round.
final class Violations: Sendable {
    private let texts = Guarded<[String]>([])

    var all: [String] { texts.value }

    func add(_ text: String) { texts.withLock { $0.append(text) } }

    func require(_ condition: Bool, _ text: @autoclosure () -> String) { if !condition { add(text()) } }
}

/// All scenes of a round.
final class Scenes: Sendable {
    let violations = Violations()
    private let circles: CircleScene
    private let graphs: GraphScene
    private let drafts: PrototypeScene
    private let refusals: RefusalScene
    private let tasks: TaskScene
    private let pairs: PairScene
    private let endings: EndingScene
    private let composites: CompositeScene
    private let decorators: DecoratorScene
    private let modules: ModuleScene

    init(in root: Locator) {
        circles = CircleScene(in: root, violations)
        graphs = GraphScene(violations)
        drafts = PrototypeScene(in: root, violations)
        refusals = RefusalScene(in: root, violations)
        tasks = TaskScene(in: root, violations)
        pairs = PairScene(in: root, violations)
        endings = EndingScene(in: root, violations)
        composites = CompositeScene(in: root, violations)
        decorators = DecoratorScene(in: root, violations)
        modules = ModuleScene(in: root, violations)
    }

    /// Performs a request of a scene.
    func perform(_ random: inout SplitMix64) {
        switch Int.random(in: 0..<7, using: &random) {
        case 0: circles.perform(&random)
        case 1: graphs.perform(&random)
        case 2: drafts.perform(&random)
        case 3: refusals.perform(&random)
        case 4: decorators.perform(&random)
        case 5: modules.perform()
        default: pairs.perform(&random)
        }
    }

    func performAsync(_ random: inout SplitMix64) async {
        // Endings beside endings are left out, too: there, a disposer can still find what it reads released.
        let choice = Int.random(in: 0..<7, using: &random)
        // A copy, since the generator of a worker cannot be passed on while it suspends.
        var copy = random
        _ = random.next()
        switch choice {
        case 0: await circles.performAsync(&copy)
        case 1: await graphs.performAsync(&copy)
        case 2: await drafts.performAsync()
        case 3: await refusals.performAsync(&copy)
        case 4, 5: await tasks.perform(&copy)
        default: await composites.perform(&copy)
        }
    }

    /// Waits for tasks that outlive their requests, and returns the broken promises, while the root is still open.
    func end() async -> [String] {
        await tasks.end()
        await refusals.end()
        await endings.end()
        circles.end()
        graphs.end()
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

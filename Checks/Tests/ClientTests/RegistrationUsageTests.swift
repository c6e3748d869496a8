// Registrations with arguments, initializers and lifetimes. The same file is compiled in Swift 6, in Swift 5, and in a
// module whose default isolation is the main actor.

import Injectle
import InjectleTestSupport
import Testing

protocol Tool {
    var name: String { get }
}

final class Hammer: Tool {
    let name = "hammer"
    init() {}
}

struct Workshop {
    let hammer: Hammer
    let spare: Hammer?
    let tools: [any Tool]
    let later: Locator.Lazy<Hammer>
    let each: Locator.Provider<Job>

    init(
        hammer: Hammer,
        spare: Hammer?,
        tools: [any Tool],
        later: Locator.Lazy<Hammer>,
        each: Locator.Provider<Job>
    ) {
        self.hammer = hammer
        self.spare = spare
        self.tools = tools
        self.later = later
        self.each = each
    }
}

struct Job {
    let number: Int
    let title: String
}

final class Bench {
    var hammer: Hammer!
    var job: Job?
    init() {}
}

@MainActor final class Board {
    let hammer: Hammer
    init(hammer: Hammer) { self.hammer = hammer }
}

@Suite @MainActor struct RegistrationUsageTests {
    private let locator = Locator()

    @Test func `Initializers resolve their parameters`() throws {
        locator.register(.initializer(Hammer.init).asSelf().contributing(to: (any Tool).self))
        locator.register(.initializer(Workshop.init).lifetime(.volatile))
        locator.register(.initializer(Board.init))
        locator.register(.volatile { (_, number: Int, title: String) in Job(number: number, title: title) })
        let workshop = try locator.resolve(Workshop.self)
        #expect(workshop.spare === workshop.hammer)
        #expect(workshop.tools.map(\.name) == ["hammer"])
        #expect(try workshop.later() === workshop.hammer)
        #expect(try workshop.each(7, "door").title == "door")
        #expect(try locator.resolve(Board.self).hammer === workshop.hammer)
        locator.register(.initializer(.main, { Board(hammer: $0) }).lifetime(.weak))
        #expect(try locator.resolve(Board.self).hammer === workshop.hammer)
    }

    @Test func `Closures receive arguments`() throws {
        locator.register(.volatile { (locator, number: Int) in Job(number: number, title: try locator.resolve()) })
        locator.register(.lazy(.main) { (_, title: String) in Job(number: 0, title: title) })
        locator.register(.volatile(.anywhere) { (_, number: Int, double: Bool) in double ? 2 * number : number })
        locator.register(.eager("gate"))
        let job: Job = try locator.resolve(arguments: 7)
        #expect(job.number == 7)
        #expect(job.title == "gate")
        #expect(try locator.resolve(Job.self, arguments: "fence").title == "fence")
        #expect(try locator.resolve(Int.self, arguments: 7, true) == 14)
    }

    @Test func `Properties are injected`() throws {
        locator.register(.lazy { Hammer() })
        locator.register(.lazy { Bench() }.injecting(\.hammer).injectingIfPresent(\.job))
        let bench = try locator.resolve(Bench.self)
        #expect(try bench.hammer === locator.resolve(Hammer.self))
        #expect(bench.job == nil)
    }
}

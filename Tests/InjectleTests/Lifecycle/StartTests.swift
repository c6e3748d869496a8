import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Page: NSObject, NSCopying {
    let diary: Diary
    init(_ diary: Diary) {
        self.diary = diary
        diary.note("+prototype")
    }
    func copy(with zone: NSZone? = nil) -> Any { self }
}

/// Not `Sendable`.
@MainActor private final class Screen {
    init(_ diary: Diary) { diary.note("+screen") }
}

/// What `start()` makes, in which order, and what it tells of it.
@Suite struct StartTests {
    private let locator = Locator("start", isolation: .waiting(upTo: .seconds(600)))
    private let diary = Diary()

    private func part(_ name: String, _ lifetime: Locator.Lifetime = .lazy) -> Locator.Registration<Part> {
        .lazy(.anywhere) { [diary] in Part(name, diary) }.lifetime(lifetime)
    }

    private func partInTask(_ name: String, _ lifetime: Locator.Lifetime = .lazy) -> Locator.Registration<Part> {
        .lazy(.anywhere) { [diary] in
            await Task.yield()
            return Part(name, diary)
        }.lifetime(lifetime)
    }

    // MARK: What it makes

    @Test func `start creates marked and async services`() async throws {
        locator.register(part("marked").atStart(), for: "marked")
        locator.register(partInTask("async"), for: "async")
        locator.register(partInTask("both").atStart(), for: "both")
        locator.register(part("named", .perLocator(named: "start")).atStart(), for: "named")
        locator.register(part("perArgument", .perArgument).atStart(), for: "perArgument")
        locator.register(part("perLocator", .perLocator).atStart(), for: "perLocator")
        locator.register(partInTask("perLocator async", .perLocator), for: "perLocator async")
        locator.register(part("composite", .composite(.perLocator, .weak)).atStart(), for: "composite")
        locator.register(.factory(Page(diary)).atStart())
        try await locator.start()
        let names = [
            "marked", "async", "both", "named", "perArgument", "perLocator", "perLocator async", "composite",
            "prototype",
        ]
        #expect(diary.take().sorted() == names.map { "+\($0)" }.sorted())
        // Nothing has to be awaited any more, and nothing is made again.
        for key in names.dropLast() { #expect(try locator.resolve(Part.self, key: key).name == key) }
        _ = try locator.resolve(Page.self)
        #expect(diary.take() == [])
    }

    @Test func `start of a named locator creates the services named for it`() async throws {
        locator.register(part("marked", .perLocator(named: "session")).atStart(), for: "marked")
        locator.register(partInTask("async", .perLocator(named: "session")), for: "async")
        try await locator.start()
        #expect(diary.take() == [])
        let session = locator.child("session")
        let page = session.child("page")
        try await page.start()
        #expect(diary.take() == [])
        try await session.start()
        #expect(diary.take().sorted() == ["+async", "+marked"])
        #expect(try page.resolve(Part.self, key: "async") === session.resolve(Part.self, key: "async"))
        try await session.start()
        #expect(diary.take() == [])
    }

    @Test func `start creates nothing else`() async throws {
        locator.register(part("lazy"), for: "lazy")
        locator.register(part("perLocator", .perLocator), for: "perLocator")
        for (name, lifetime) in [("volatile", Locator.Lifetime.volatile), ("weak", .weak), ("graph", .graph)] {
            locator.register(part(name, lifetime).atStart(), key: name)
            locator.register(partInTask(name, lifetime), key: "\(name) async")
        }
        locator.register(partInTask("perArgument", .perArgument), key: "perArgument")
        let registration: Locator.Registration<Part> = .lazy(.anywhere) {
            [diary] (_: Locator.Resolver, name: String) in
            await Task.yield()
            return Part(name, diary)
        }
        locator.register(registration.atStart(), key: "declared")
        var all: [Locator.StartProgress] = []
        try await locator.start { all.append($0) }
        #expect(diary.take() == [])
        #expect(all.map(\.fraction) == [1])
    }

    @Test func `start creates a service with several identities once`() async throws {
        locator.register(part("a").asSelf().as(Part.self, key: 1).as(Part.self, key: 2).atStart())
        try await locator.start()
        #expect(diary.take() == ["+a"])
    }

    @Test func `start of a child creates its own instances only`() async throws {
        let child = locator.child()
        locator.register(partInTask("per locator", .perLocator))
        locator.register(part("marked per locator", .perLocator).atStart(), key: "marked")
        locator.register(partInTask("parent's"), key: "parent's")
        locator.register(partInTask("hidden", .perLocator), key: "hidden")
        child.register(partInTask("child's"), key: "hidden")
        try await child.start()
        #expect(diary.take().sorted() == ["+child's", "+marked per locator", "+per locator"])
        let service = try child.resolve(Part.self)
        #expect(thrown { try locator.resolve(Part.self) }?.code == InjectleError.requiresAsync)
        try await locator.start()
        #expect(diary.take().sorted() == ["+hidden", "+marked per locator", "+parent's", "+per locator"])
        #expect(try locator.resolve(Part.self) !== service)
        #expect(try child.resolve(Part.self) === service)
    }

    @Test func `start of an empty locator completes at once`() async throws {
        var all: [Locator.StartProgress] = []
        try await locator.start { all.append($0) }
        #expect(all.map(\.fraction) == [1])
        #expect(all.map(\.description) == ["0 of 0 created"])
    }

    @Test func `start of a closed locator throws`() async throws {
        locator.register(partInTask("a"))
        await locator.close()
        let error = await thrown { try await locator.start() }
        #expect(error?.code == InjectleError.locatorClosed)
        #expect(
            try #require(error).description.contains("Nothing can be started in the locator \"start\", which is closed")
        )
        #expect(diary.take() == [])
    }

    // MARK: In which order

    @Test func `start creates services concurrently`() async throws {
        let both = Barrier(2)
        for name in ["a", "b"] {
            // Each goes on only when the other has begun.
            locator.register(
                .lazy(.anywhere) { [diary] in
                    await both.arrive()
                    return Part(name, diary)
                },
                key: name
            )
        }
        try await locator.start()
        #expect(diary.take().sorted() == ["+a", "+b"])
    }

    @Test func `start creates a service after its dependencies`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try await locator.resolveAsync(Part.self, key: "second")
                return Part("third", diary)
            },
            key: "third"
        )
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try locator.resolve(Part.self, key: "first")
                return Part("second", diary)
            }.atStart(),
            key: "second"
        )
        locator.register(partInTask("first"), key: "first")
        try await locator.start()
        #expect(diary.take() == ["+first", "+second", "+third"])
    }

    @Test func `A marked service may depend on several async services`() async throws {
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                let names = try ["a", "b"].map { try locator.resolve(Part.self, key: $0).name }
                diary.note("made of \(names.joined(separator: " and "))")
                return 1
            }.atStart()
        )
        for name in ["a", "b"] { locator.register(partInTask(name), key: name) }
        try await locator.start()
        let all = diary.take()
        #expect(all.count == 3)
        #expect(all.last == "made of a and b")
    }

    @Test func `Concurrent starts create every service once`() async throws {
        let (hasBegun, mayGoOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [diary] in
                hasBegun.set()
                await mayGoOn.reached()
                return Part("slow", diary)
            },
            key: "slow"
        )
        locator.register(part("marked").atStart(), key: "marked")
        async let first: Void = locator.start()
        await hasBegun.reached()
        let second = Task { [locator, diary] in
            try await locator.start { if $0.fraction == 1 { diary.note("started") } }
        }
        for _ in 0..<100 { await Task.yield() }
        mayGoOn.set()
        try await first
        try await second.value
        #expect(diary.take().sorted() == ["+marked", "+slow", "started"])
    }

    @Test func `A second start creates what is missing`() async throws {
        locator.register(partInTask("a"), for: "a")
        try await locator.start()
        locator.register(partInTask("b"), key: "b")
        locator.register(part("c").atStart(), key: "c")
        var first: Locator.StartProgress?
        try await locator.start { first = first ?? $0 }
        #expect(diary.take().sorted() == ["+a", "+b", "+c"])
        #expect(first?.pending.map(\.key) == ["b", "c"])
    }

    // MARK: What it tells

    @Test func `start reports completed, running and pending services`() async throws {
        let inner = Signal()
        locator.register(
            .lazy(.anywhere) { [diary] locator in
                _ = try await locator.resolveAsync(Part.self, key: "inner")
                return Part("outer", diary)
            },
            key: "outer"
        )
        locator.register(
            .lazy(.anywhere) { [diary] in
                await inner.reached()
                return Part("inner", diary)
            },
            key: "inner"
        )
        var all: [Locator.StartProgress] = []
        try await locator.start { progress in
            all.append(progress)
            // Goes on only when both have begun.
            if progress.running.count == 2 { inner.set() }
        }
        let first = try #require(all.first)
        #expect(first.completed.isEmpty && first.running.isEmpty && first.fraction == 0)
        #expect(first.pending == [ServiceKey(Part.self, key: "outer"), ServiceKey(Part.self, key: "inner")])
        let both = try #require(all.first { $0.running.count == 2 })
        #expect(both.running.map(\.identity.key) == ["outer", "inner"])
        #expect(both.description.hasPrefix("0 of 2 created, creating "))
        let last = try #require(all.last)
        #expect(last.completed.map(\.identity.key) == ["inner", "outer"])
        #expect(last.running.isEmpty && last.pending.isEmpty && last.fraction == 1)
        #expect(last.description == "2 of 2 created")
        for (earlier, later) in zip(all, all.dropFirst()) {
            #expect(later.completed.map(\.identity).starts(with: earlier.completed.map(\.identity)))
            #expect(later.pending.count <= earlier.pending.count)
            #expect(Set(later.pending).isSubset(of: earlier.pending))
            #expect(later.completed.count + later.running.count + later.pending.count == 2)
        }
        #expect(all.map(\.fraction) == [0, 0, 0, 0.5, 1])
    }

    @MainActor @Test func `start reports progress on the calling main actor`() async throws {
        for name in ["a", "b"] { locator.register(partInTask(name), for: name) }
        var count = 0
        try await locator.start { _ in
            MainActor.preconditionIsolated()
            count += 1
        }
        MainActor.assertIsolated()
        #expect(count == 5)
    }

    private actor Launcher {
        private var fractions: [Double] = []
        func start(_ locator: Locator) async throws -> [Double] {
            try await locator.start { progress in
                self.preconditionIsolated()
                self.fractions.append(progress.fraction)
            }
            return fractions
        }
    }

    @Test func `start reports progress on the calling actor`() async throws {
        locator.register(partInTask("a"))
        #expect(try await Launcher().start(locator) == [0, 0, 1])
    }

    // MARK: The main actor

    @MainActor @Test func `start on the main actor creates main actor services there`() async throws {
        locator.register(partInTask("needed"))
        locator.register(
            .lazy { [diary] locator in
                MainActor.preconditionIsolated()
                _ = try locator.resolve(Part.self)
                return Screen(diary)
            }.atStart()
        )
        try await locator.start()
        _ = try locator.resolve(Screen.self)
        #expect(diary.take() == ["+needed", "+screen"])
    }

    @Test func `start elsewhere creates main actor services on the main actor`() async throws {
        @MainActor func register() {
            locator.register(
                .lazy { [diary] in
                    MainActor.preconditionIsolated()
                    return Screen(diary)
                }.atStart()
            )
        }
        await register()
        try await locator.start()
        #expect(diary.take() == ["+screen"])
        #expect(locator.registrations.map(\.isCreated) == [true])
    }
}

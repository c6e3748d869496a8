import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Hen: Sendable {
    let egg: Egg?
    init(egg: Egg?) { self.egg = egg }
}

private final class Egg: Sendable {
    let hen: Hen?
    init(hen: Hen?) { self.hen = hen }
}

private final class Author: Sendable {
    let book = Inject<Book>()
}

private final class Book: Sendable {
    let author: Author
    init(author: Author) { self.author = author }
}

/// Resolves its own type while it is copied, and stores the error code.
private final class SelfCopying: NSCopying, Sendable {
    let locator: Locator
    let code: InjectleError?

    init(locator: Locator, code: InjectleError?) {
        self.locator = locator
        self.code = code
    }

    func copy(with zone: NSZone? = nil) -> Any {
        do throws(InjectleError) {
            _ = try locator.resolve(SelfCopying.self)
            return SelfCopying(locator: locator, code: nil)
        } catch {
            return SelfCopying(locator: locator, code: error)
        }
    }
}

private struct FixedScopeLifetime: Locator.CustomLifetime {
    let scope = Locator.Scope()
    func scope(for resolver: Locator.Resolver) -> Locator.Scope? { scope }
}

/// Circular dependencies throw with their path.
@Suite struct CircularDependencyTests {
    private let locator = Locator("cycles")

    typealias Lifetime = Locator.Lifetime

    private func register(hen: Lifetime, egg: Lifetime) {
        let makeHen: (Locator.Resolver) throws -> Hen = { Hen(egg: try $0.resolve()) }
        let makeEgg: (Locator.Resolver) throws -> Egg = { Egg(hen: try $0.resolve()) }
        locator.register(hen == .lazy ? .lazy(makeHen) : .volatile(makeHen))
        locator.register(egg == .lazy ? .lazy(makeEgg) : .volatile(makeEgg))
    }

    @Test(arguments: [Lifetime.lazy, .volatile], [Lifetime.lazy, .volatile])
    func `Services that require each other throw with their path`(hen: Lifetime, egg: Lifetime) {
        register(hen: hen, egg: egg)
        for _ in 0..<2 {
            let error = #expect(throws: InjectleError.self) { try locator.resolve(Hen.self) }
            #expect(error == .circularDependency)
            #expect(error?.path == [Locator.Identity(Hen.self), Locator.Identity(Egg.self)])
            #expect(
                error?.description.contains("ConcurrencyTests.Hen → ConcurrencyTests.Egg → ConcurrencyTests.Hen")
                    == true
            )
        }
    }

    @Test(
        arguments: [
            Lifetime.lazy, .volatile, .weak, .graph, .perLocator, .perLocator(named: "cycles"), .perArgument,
            .composite(.perLocator, .weak), .custom(FixedScopeLifetime()),
        ]
    )
    func `A service that requires itself throws in every lifetime`(lifetime: Lifetime) {
        locator.register(.lazy { locator in try locator.resolve(Hen.self) }.lifetime(lifetime))
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Hen.self) }
        #expect(error == .circularDependency)
        #expect(error?.path == [Locator.Identity(Hen.self)])
    }

    @Test func `A service that requires itself under another identity throws`() {
        locator.register(
            .lazy { locator in try locator.resolve(Hen.self, key: "other") }.asSelf().asSelf(key: "other")
        )
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Hen.self) }
        #expect(error == .circularDependency)
    }

    @Test func `A factory that calls the locator itself is part of the path`() {
        locator.register(.lazy { [locator] in Hen(egg: try locator.resolve()) })
        locator.register(.lazy { [locator] in Egg(hen: try locator.resolve()) })
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Egg.self) }
        #expect(error == .circularDependency)
    }

    @Test func `A property read during creation traps with the path`() async {
        let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            final class Impatient: Sendable {
                let own = Inject<Impatient>()
                init() { _ = own() }
            }
            Locator.default.register(.lazy { Impatient() })
            _ = try Locator.default.resolve(Impatient.self)
        }
        let text = result.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("Circular dependency: "))
        #expect(text.contains("Impatient → "))
    }

    @Test func `A copy that resolves its own type throws`() throws {
        locator.register(.factory(SelfCopying(locator: locator, code: nil)))
        #expect(try locator.resolve(SelfCopying.self).code == .circularDependency)
    }

    @Test func `The same type under another key is not a cycle`() throws {
        locator.register(.lazy { locator in try locator.resolve(String.self, key: "inner") + "!" })
        locator.register(.lazy { "inner" }, key: "inner")
        #expect(try locator.resolve(String.self) == "inner!")
    }

    @Test func `A task started by a factory is not part of its path`() async throws {
        let locator = locator
        let started = Guarded<Task<Int?, Never>?>(nil)
        locator.register(
            .volatile { () -> Int in
                started.withLock { task in
                    guard task == nil else { return }
                    task = Task { try? locator.resolve(Int.self) }
                }
                return 7
            }
        )
        #expect(try locator.resolve(Int.self) == 7)
        #expect(await started.value?.value == 7)
    }

    @Test func `A property read later breaks a cycle`() throws {
        locator.register(.lazy { Author() })
        locator.register(.lazy { locator in Book(author: try locator.resolve()) })
        let book = try locator.resolve(Book.self)
        #expect(book.author.book() === book)
    }

    /// 10 KB.
    private struct Table {
        typealias Row = (Int, Int, Int, Int, Int, Int, Int, Int)
        typealias Page = (Row, Row, Row, Row, Row, Row, Row, Row)

        var pages: (Page, Page, Page, Page, Page, Page, Page, Page, Page, Page)
        var rows: (Page, Page, Page, Page, Page, Page, Page, Page, Page, Page)
    }

    @Test(arguments: [8 << 10, 512, 256, 128, 64])
    func `Infinite recursion throws on a large and a small stack`(kilobytes: Int) async {
        let locator = locator
        locator.register(.volatile { (locator, index: Int) in try locator.resolve(Int.self, arguments: index + 1) })
        let error = await onAnotherThread(stackSize: kilobytes << 10) {
            thrown { try locator.resolve(Int.self, arguments: 0) }
        }
        #expect(error == .circularDependency)
    }

    private func recursionOfLargeValues(stackSize kilobytes: Int) async -> InjectleError? {
        let locator = locator
        locator.register(
            .volatile { (locator, index: Int) in
                var table = try locator.resolve(Table.self, arguments: index + 1)
                table.rows.0 = table.pages.1
                return table
            }
        )
        return await onAnotherThread(stackSize: kilobytes << 10) {
            thrown { try locator.resolve(Table.self, arguments: 0) }
        }
    }

    @Test(arguments: [8 << 10, 512, 256])
    func `Infinite recursion of large values throws`(kilobytes: Int) async {
        #expect(await recursionOfLargeValues(stackSize: kilobytes) == .circularDependency)
    }

    @Test func `The error on a small stack states its size`() async {
        // The system can give a thread the larger stack of one that has ended. No other test has a thread of this size.
        let text = await recursionOfLargeValues(stackSize: 1024)?.description ?? ""
        #expect(text.hasPrefix("Dependencies are too deep for this thread, whose stack has 1024 KB: "))
    }

    @Test func `A deep finite graph resolves`() async throws {
        for index in 0..<150 {
            locator.register(.lazy { locator in try locator.resolve(Int.self, key: index + 1) + 1 }, key: index)
        }
        locator.register(.eager(0), key: 150)
        // Other threads than the main one can have 512 KB, which is too little in debug.
        let sum = await onAnotherThread { [locator] in try? locator.resolve(Int.self, key: 0) }
        #expect(sum == 150)
    }

    @Test func `Two threads that resolve both ends of a circle get the error that each gets alone`() async {
        let locator = locator
        let both = Barrier(2)
        locator.register(
            .lazy(.anywhere) { locator in
                both.wait()
                return Hen(egg: try locator.resolve())
            }
        )
        locator.register(
            .lazy(.anywhere) { locator in
                both.wait()
                return Egg(hen: try locator.resolve())
            }
        )
        let errors = Guarded<[InjectleError]>([])
        await onThreadsAsync(2) { index in
            do throws(InjectleError) {
                if index == 0 { _ = try locator.resolve(Hen.self) } else { _ = try locator.resolve(Egg.self) }
            } catch {
                errors.withLock { $0.append(error) }
            }
        }
        #expect(errors.value == [InjectleError.circularDependency, InjectleError.circularDependency])
    }
}

import Injectle
import InjectleTestSupport
import Testing

/// A dependency of the services that end, created before them.
private final class Journal: Sendable {
    private let callLog: CallLog

    init(_ callLog: CallLog) { self.callLog = callLog }
    deinit { callLog.record("release journal") }

    func write(_ line: String) { callLog.record(line) }
}

/// A registered service that nothing resolves before the ending.
private final class Late: Sendable {}

/// Reads its dependency when it is disposed of, and when it is released.
private final class Page: Sendable {
    let name: String
    private let journal = Inject<Journal>()
    private let outlivesJournal: Bool
    private let read: @Sendable () -> Void

    init(_ name: String, outlivesJournal: Bool = false, read: @escaping @Sendable () -> Void = {}) {
        (self.name, self.outlivesJournal, self.read) = (name, outlivesJournal, read)
    }

    deinit {
        if outlivesJournal { return }
        read()
        journal().write("release \(name)")
    }

    func close() {
        read()
        journal().write("close \(name)")
    }
}

/// How the instances of a registration end.
private enum Ending: CaseIterable {
    case close, reset, unregistering, replacement, release, child, asyncChild

    /// Whether the locator ends with its instances, or at least all that it has.
    var isOfLocator: Bool { self != .unregistering && self != .replacement }
    /// Whether the caller awaits the disposers.
    var isAwaited: Bool { self == .close || self == .asyncChild }
}

/// All endings keep one order: disposers, then releases, each in reverse order of creation.
@Suite struct TeardownTests {
    private let callLog = CallLog()

    private typealias Registration = Locator.Registration<Page>

    /// A registration with an instance for each name.
    private func page(read: @escaping @Sendable (Locator.Resolver, String) -> Void = { _, _ in }) -> Registration {
        .lazy(.anywhere) { (locator, name: String) in Page(name) { read(locator, name) } }.lifetime(.perArgument)
    }

    /// A page whose disposers run in a task of their own, unless the ending awaits them.
    private func page(for ending: Ending) -> Registration {
        .lazy(.anywhere) { (_, name: String) in Page(name, outlivesJournal: !ending.isAwaited) }.lifetime(.perArgument)
    }

    /// Creates a journal and three pages in a locator, ends the pages, and returns what has been recorded meanwhile.
    private func end(by ending: Ending, _ page: Registration) async throws -> [String] {
        var locator: Locator? = Locator("teardown")
        guard let present = locator else { return [] }
        if ending == .child { return try endChild(of: present, page) }
        if ending == .asyncChild {
            try await present.withChild("child") { try fill($0, page) }
            return callLog.drain()
        }
        try fill(present, page)
        return await end(by: ending, present, &locator)
    }

    private func fill(_ locator: Locator, _ page: Registration) throws {
        locator.register(.lazy(.anywhere) { [callLog] in Journal(callLog) })
        locator.register(.lazy(.anywhere) { Late() })
        locator.register(page)
        _ = try locator.resolve(Journal.self)
        for name in ["a", "b", "c"] { _ = try locator.resolve(Page.self, arguments: name) }
        #expect(callLog.drain() == [])
    }

    private func endChild(of locator: Locator, _ page: Registration) throws -> [String] {
        try locator.withChild("child") { try fill($0, page) }
        return callLog.drain()
    }

    private func end(by ending: Ending, _ present: consuming Locator, _ locator: inout Locator?) async -> [String] {
        switch ending {
        case .close: await present.close()
        case .reset: present.reset()
        case .unregistering: present.unregister(Page.self)
        case .replacement: present.register(page())
        case .release, .child, .asyncChild:
            locator = nil
            _ = consume present
            return callLog.drain()
        }
        let recorded = callLog.drain()
        _ = consume present
        return recorded
    }

    private static let closes = ["close c", "close b", "close a"]
    private static let releases = ["release c", "release b", "release a"]

    @Test(arguments: Ending.allCases)
    private func `Disposers and deinits read dependencies that were created before`(_ ending: Ending) async throws {
        let recorded = try await end(by: ending, page().onDispose { $0.close() })
        let journal = ending.isOfLocator ? ["release journal"] : []
        #expect(recorded == TeardownTests.closes + TeardownTests.releases + journal)
    }

    @Test(arguments: Ending.allCases)
    private func `A deinit reads dependencies of a service without disposers`(_ ending: Ending) async throws {
        let journal = ending.isOfLocator ? ["release journal"] : []
        #expect(try await end(by: ending, page()) == TeardownTests.releases + journal)
    }

    @Test(arguments: Ending.allCases)
    private func `An ending creates nothing`(_ ending: Ending) async throws {
        let found = Counter()
        let reads = Counter()
        let page = page { locator, name in
            reads.increment()
            if ending.isOfLocator {
                if (try? locator.resolve(Late.self)) != nil { found.increment() }
                if (try? locator.resolveOptional(Late.self)) != nil { found.increment() }
                if (try? locator.resolveAll(Late.self).isEmpty) == false { found.increment() }
            } else if ending == .unregistering {
                if (try? locator.resolve(Page.self, arguments: name + "'")) != nil { found.increment() }
                if (try? locator.resolveOptional(Page.self, arguments: name + "'")) != nil { found.increment() }
            }
        }
        _ = try await end(by: ending, page.onDispose { $0.close() })
        #expect(found.value == 0)
        #expect(reads.value == 6)
    }

    @Test(arguments: Ending.allCases.filter { $0 != .replacement })
    private func `Disposers and deinits find what has not been released`(_ ending: Ending) async throws {
        let found = CallLog()
        let page = page { locator, name in
            let others = ["a", "b", "c"].filter { (try? locator.resolve(Page.self, arguments: $0)) != nil }
            found.record("\(name): \(others.joined())")
        }
        _ = try await end(by: ending, page.onDispose { $0.close() })
        // A weak reference to an object ends before its `deinit`, and so does its place in the locator.
        #expect(found.entries == ["c: abc", "b: abc", "a: abc", "c: ab", "b: a", "a: "])
    }

    @Test(arguments: Ending.allCases)
    private func `Async disposers run in reverse order of creation`(_ ending: Ending) async throws {
        let disposed = CallLog()
        let ended = Signal()
        let page = page(for: ending).onDispose { page async in
            await Task.yield()
            disposed.record(page.name)
            if page.name == "a" { ended.set() }
        }
        let recorded = try await end(by: ending, page)
        if ending.isAwaited { #expect(disposed.entries == ["c", "b", "a"]) }
        await ended.reached()
        #expect(disposed.entries == ["c", "b", "a"])
        if ending.isAwaited { #expect(recorded == TeardownTests.releases + ["release journal"]) }
    }

    @Test(arguments: Ending.allCases)
    private func `An async disposer delays only the disposers after it`(_ ending: Ending) async throws {
        let disposed = CallLog()
        let ended = Signal()
        let page = page(for: ending).onDispose { page in disposed.record("first \(page.name)") }
            .onDispose { page async in
                disposed.record("second \(page.name)")
                if page.name == "a" { ended.set() }
            }
        _ = try await end(by: ending, page)
        await ended.reached()
        #expect(disposed.entries == ["c", "b", "a"].flatMap { ["first \($0)", "second \($0)"] })
    }
}

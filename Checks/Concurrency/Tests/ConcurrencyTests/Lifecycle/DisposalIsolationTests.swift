import Foundation
import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`, and isolated to the main actor.
@MainActor private final class Screen {
    private let callLog: CallLog
    private let isClosed: Signal
    init(_ callLog: CallLog, _ isClosed: Signal) {
        self.callLog = callLog
        self.isClosed = isClosed
    }
    func close() {
        MainActor.preconditionIsolated()
        callLog.record("closed on the main actor")
        isClosed.set()
    }
}

/// Not `Sendable`.
private final class Notebook {}

private actor Librarian {
    private let callLog = CallLog()
    let isClosed = Signal()
    var notes: [String] { callLog.entries }

    func register(in locator: Locator) throws {
        locator.register(
            .lazy { Notebook() }.onDispose { _ in
                self.preconditionIsolated()
                self.callLog.record("closed on the actor")
                self.isClosed.set()
            }
        )
        _ = try locator.resolve(Notebook.self)
    }

    /// Registers, resets the locator, and returns the notes at once.
    func notesAfterReset(of locator: Locator) throws -> [String] {
        try register(in: locator)
        locator.reset()
        return notes
    }

    func registerAwaiting(in locator: Locator) throws {
        locator.register(
            .lazy { Notebook() }.onDispose { _ in
                await Task.yield()
                self.preconditionIsolated()
                self.callLog.record("closed on the actor")
            }
        )
        _ = try locator.resolve(Notebook.self)
    }
}

/// The isolation of disposers.
@Suite struct DisposalIsolationTests {
    private let locator = Locator("places")
    private let callLog = CallLog()
    private let isClosed = Signal()

    @MainActor private func register() throws {
        locator.register(.lazy { [callLog, isClosed] in Screen(callLog, isClosed) }.onDispose { $0.close() })
        _ = try locator.resolve(Screen.self)
    }

    // MARK: The main actor

    @Test func `A main actor disposer runs there for a close elsewhere`() async throws {
        try await register()
        #expect(await locator.close().isEmpty)
        #expect(callLog.drain() == ["closed on the main actor"])
    }

    @MainActor @Test func `A removal on the main actor disposes at once`() throws {
        try register()
        locator.unregisterService(Screen.self)
        #expect(callLog.drain() == ["closed on the main actor"])
    }

    @Test func `A main actor disposer is enqueued from another thread`() async throws {
        try await register()
        await onThreadsAsync(1) { [locator] _ in locator.unregisterService(Screen.self) }
        await isClosed.reached()
        #expect(callLog.drain() == ["closed on the main actor"])
    }

    @MainActor @Test func `An async disposer written on the main actor runs there`() async throws {
        locator.register(
            .lazy { [callLog, isClosed] in Screen(callLog, isClosed) }.onDispose { screen in
                await Task.yield()
                screen.close()
            }
        )
        _ = try locator.resolve(Screen.self)
        _ = await Task.detached { [locator] in await locator.close() }.value
        #expect(callLog.drain() == ["closed on the main actor"])
    }

    // MARK: Another actor

    @Test func `A disposer written on an actor runs on that actor`() async throws {
        let librarian = Librarian()
        try await librarian.register(in: locator)
        #expect(await locator.close().isEmpty)
        #expect(await librarian.notes == ["closed on the actor"])
    }

    @Test func `A disposer is enqueued on its actor from elsewhere`() async throws {
        let librarian = Librarian()
        try await librarian.register(in: locator)
        locator.reset()
        await librarian.isClosed.reached()
        #expect(await librarian.notes == ["closed on the actor"])
    }

    @Test func `An async disposer runs on the actor where it was written`() async throws {
        let librarian = Librarian()
        try await librarian.registerAwaiting(in: locator)
        await locator.close()
        #expect(await librarian.notes == ["closed on the actor"])
    }

    @Test func `A disposer of a released actor throws disposalFailed`() async throws {
        do {
            let librarian = Librarian()
            try await librarian.registerWeakly(in: locator)
        }
        let errors = await locator.close()
        #expect(errors == [InjectleError.disposalFailed])
    }

    // MARK: Anywhere

    @Test func `An anywhere disposer runs on the removing thread`() async throws {
        let thread = Guarded<Thread?>(nil)
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { _ in thread.withLock { $0 = .current } }
        )
        _ = try locator.resolve(Int.self)
        let isSame = await onAnotherThread { [locator] in
            locator.reset()
            return thread.value === Thread.current
        }
        #expect(isSame)
    }

    @Test func `A synchronous hook of an actor runs at once where the actor drops the instance`() async throws {
        #expect(try await Librarian().notesAfterReset(of: locator) == ["closed on the actor"])
    }
}

extension Librarian {
    /// Registers a disposer that does not capture the actor.
    fileprivate func registerWeakly(in locator: Locator) throws {
        locator.register(.lazy(.anywhere) { 1 }.onDispose(isolation: self) { _ in })
        _ = try locator.resolve(Int.self)
    }
}

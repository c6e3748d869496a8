import Injectle
import InjectleTestSupport
import Testing

/// Holds the last reference to a locator.
private final class Owner: Sendable {
    let locator: Locator
    init(_ locator: Locator) { self.locator = locator }
}

/// An ending can begin within another one.
@Suite struct NestedEndingTests {
    private let callLog = CallLog()

    @Test func `A disposer releases the last reference to its locator`() throws {
        let held = Guarded<Locator?>(Locator("owned"))
        func fill() throws -> Locator.RegistrationHandle {
            let locator = try #require(held.value)
            locator.register(.lazy(.anywhere) { [callLog] in LoggedService("other", callLog) }.onDispose { $0.close() })
            let handle = locator.register(
                .lazy(.anywhere) { 1 }.onDispose { [callLog] _ in
                    do {
                        // Released after the lock.
                        let last = held.withLock { $0.take() }
                        withExtendedLifetime(last) {}
                    }
                    callLog.record("-first")
                }
            )
            _ = try (locator.resolve(LoggedService.self), locator.resolve(Int.self))
            return handle
        }
        try fill().remove()
        #expect(callLog.entries == ["+other", "-other", "-first"])
    }

    @Test func `A service owns the last reference to its locator`() throws {
        func fill() throws -> Locator.RegistrationHandle {
            let locator = Locator("owned")
            locator.register(.lazy(.anywhere) { [callLog] in LoggedService("other", callLog) }.onDispose { $0.close() })
            _ = try locator.resolve(LoggedService.self)
            return locator.register(.eager(Owner(locator)))
        }
        let handle = try fill()
        #expect(callLog.entries == ["+other"])
        handle.remove()
        #expect(callLog.entries == ["+other", "-other"])
    }

    private enum Nested: CaseIterable { case reset, unregistering, replacement, resetInstance }

    @Test(arguments: Nested.allCases)
    private func `A disposer ends the locator's other instances`(_ nested: Nested) throws {
        let locator = Locator("nested")
        let other: @Sendable () -> Locator.Registration<LoggedService> = { [callLog] in
            .lazy(.anywhere) { LoggedService("other", callLog) }.onDispose { $0.close() }
        }
        locator.register(other())
        locator.register(
            .lazy(.anywhere) { 1 }.onDispose { [callLog] _ in
                switch nested {
                case .reset: locator.reset()
                case .unregistering: locator.unregister(LoggedService.self)
                case .replacement: locator.register(other())
                case .resetInstance: try locator.resetInstance(of: LoggedService.self)
                }
                callLog.record("-first")
            }
        )
        _ = try (locator.resolve(LoggedService.self), locator.resolve(Int.self))
        locator.unregister(Int.self)
        #expect(callLog.entries == ["+other", "-other", "-first"])
        #expect(locator.isRegistered(LoggedService.self) == (nested == .replacement || nested == .resetInstance))
    }

    @Test func `A disposer that resets its locator keeps what its service uses`() throws {
        let locator = Locator("nested")
        locator.register(.lazy(.anywhere) { [callLog] in LoggedService("used", callLog) }.onDispose { $0.close() })
        locator.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(LoggedService.self)
                return 1
            }.onDispose { [callLog] _ in
                locator.reset()
                callLog.record("-user")
            }
        )
        _ = try locator.resolve(Int.self)
        locator.reset()
        #expect(callLog.entries == ["+used", "-user", "-used"])
    }

    @Test func `The release of a child leaves its disposal to the close of its parent`() async throws {
        let parent = Locator("parent")
        var child: Locator? = parent.child("child")
        let (begun, goOn) = (Signal(), Signal())
        child?.register(
            .lazy(.anywhere) { [callLog] in LoggedService("used", callLog) }.onDispose { used async throws in
                used.close()
                throw CancellationError()
            }
        )
        child?.register(
            .lazy(.anywhere) { locator in
                _ = try locator.resolve(LoggedService.self)
                return 1
            }.onDispose { [callLog] _ async in
                begun.set()
                await goOn.reached()
                callLog.record("-user")
            }
        )
        _ = try child?.resolve(Int.self)
        let close = Task { await parent.close() }
        await begun.reached()
        child = nil
        goOn.set()
        #expect(await close.value == [InjectleError.disposalFailed])
        #expect(callLog.entries == ["+used", "-user", "-used"])
    }
}

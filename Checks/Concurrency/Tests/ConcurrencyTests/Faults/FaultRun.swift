import Injectle
import InjectleTestSupport
import Testing

/// One run of a case.
final class FaultRun: Sendable {
    private let testCase: FaultCase
    private let probe: FaultProbe
    private let behavior: FaultBehavior
    private let log = Tracked.Log()
    /// The calls of the factory closure, and those that returned an instance.
    private let (entered, created) = (Counter(), Counter())
    private let disposed = Guarded<[Int]>([])
    /// The outcome of the code's own call of the locator.
    private let callOutcome = Guarded<FaultOutcome?>(nil)
    private let (begun, released, ended) = (Signal(), Signal(), Signal())

    private let recursions = Locator("recursions")
    // Released before the end of the run.
    private let root = Guarded<Locator?>(Locator("root"))
    private let child = Guarded<Locator?>(nil)
    private let resolver = Guarded<Locator.Resolver?>(nil)
    private let property = Guarded<Optject<FaultService>?>(nil)
    private let lazy = Guarded<Locator.Lazy<FaultService>?>(nil)
    private let provider = Guarded<Locator.Provider<FaultService>?>(nil)

    init(_ testCase: FaultCase) {
        self.testCase = testCase
        probe = FaultProbe(testCase.site)
        behavior = FaultBehavior(probe: probe)
    }

    /// A new key, which equals all others.
    private var key: FaultKey? { testCase.lifetime == .volatile ? nil : FaultKey(probe) }

    /// The locator that the faulty code uses.
    private var locator: Locator { root.value ?? Locator("released") }

    /// The locator of the service.
    private var target: Locator { child.value ?? locator }

    /// Runs the case, and compares the outcome with its rules.
    func run() async throws {
        try prepare()
        probe.arm(blocking: { [self] in try act() }, async: { [self] in try await actAsync() })
        #expect(await performWithOthers() == testCase.outcome)
        // Readers of other tests can delay the release of the instance.
        if testCase.site == .deinit { await ended.reached() }
        #expect(probe.visits.value == 1, "The code has not run.")
        #expect(callOutcome.value == nil || callOutcome.value == testCase.callOutcome)
        #expect(behavior.failures.value == testCase.reportedFailures)
        await checkLocator()
        await release()
    }

    // MARK: Preparation

    private func prepare() throws {
        locator.register(.lazy(.anywhere) { [log] in FaultDependency(log) })
        recursions.register(
            .volatile(.anywhere) { (locator, depth: Int) in
                try locator.resolve(FaultRecursion.self, arguments: depth + 1)
            }
        )
        if testCase.path == .childRelease { child.withLock { $0 = locator.child("child") } }
        switch testCase.path {
        case .resolveAll: target.register(registration().contributing(to: FaultService.self, key: key))
        // A registration to compare keys with.
        case .apply where testCase.site == .equality: target.register(.eager(7), key: key)
        case .apply: break
        default: target.register(registration(), key: key)
        }
        // Not in all cases, since events take another path through the library.
        if testCase.isBehavior || testCase.site == .disposer { target.add(behavior) }
        if !testCase.creates { _ = try target.resolve(FaultService.self, key: key) }
        try resolver.set(target.resolve())
        switch testCase.path {
        case .lazy: try lazy.set(target.resolve(key: key))
        case .provider: try provider.set(target.resolve(key: key))
        case .property: property.set(Locator.$shared.withValue(target) { Optject(key) })
        default: break
        }
    }

    /// The registration of the service, with the probe in all of its closures.
    private func registration() -> Locator.Registration<FaultService> {
        let (probe, log, entered, created, disposed) = (probe, log, entered, created, disposed)
        var registration: Locator.Registration<FaultService> =
            testCase.isAsync && testCase.site == .factory
            ? .lazy(.anywhere) {
                entered.increment()
                try await probe.visitAsync(.factory)
                return FaultService(created.increment(), log, probe)
            }
            : .lazy(.anywhere) {
                entered.increment()
                try probe.visit(.factory)
                return FaultService(created.increment(), log, probe)
            }
        switch testCase.lifetime {
        case .lazy: break
        case .perLocator: registration = registration.lifetime(.perLocator)
        case .volatile: registration = registration.lifetime(.volatile)
        case .graph: registration = registration.lifetime(.graph)
        }
        registration = registration.afterInit { (_: Locator.Resolver, _: inout FaultService) in try probe.visit(.hook) }
        registration = registration.onDispose { (service: FaultService) in
            disposed.withLock { $0.append(service.number) }
            try probe.visit(.disposer)
        }
        switch testCase.site {
        case .asyncDisposer:
            registration = registration.onDispose { (_: FaultService) in try await probe.visitAsync(.asyncDisposer) }
        case .scope: registration = registration.lifetime(FaultScopeLifetime(probe: probe))
        default: break
        }
        return testCase.path == .start ? registration.atStart() : registration
    }

    // MARK: The faulty code

    private func act() throws {
        begun.set()
        defer { ended.set() }
        switch testCase.fault {
        case .throwsError: throw FaultError()
        case .throwsCancellation: throw CancellationError()
        case .usesUpStack: try call { _ = try recursions.resolve(FaultRecursion.self, arguments: 0) }
        case .resolvesSame: try call { try resolveSame() }
        case .resolvesOther: try call { _ = try locator.resolve(FaultDependency.self) }
        case .registersOther: locator.register(.eager("other"))
        case .unregistersItself: locator.unregister(FaultService.self, key: key)
        case .resetsLocator: locator.reset()
        case .neverReturns: released.wait()
        case .closesLocator, .awaitsCancellation: break
        }
    }

    private func actAsync() async throws {
        switch testCase.fault {
        case .closesLocator:
            begun.set()
            // The close awaits this code, so it cannot await the close.
            #expect(await locator.close().isEmpty)
        case .neverReturns, .awaitsCancellation:
            begun.set()
            await released.reached()
        case .resolvesSame:
            do {
                _ = try await target.resolveAsync(FaultService.self, key: key)
                callOutcome.set(.success)
            } catch {
                callOutcome.set(.failure(.init(error)))
                throw error
            }
        default: try act()
        }
    }

    private func resolveSame() throws {
        switch testCase.path {
        case .resolveAll: _ = try target.resolveAll(FaultService.self, key: key)
        // Nothing but a resolver refers to the locator.
        case .childRelease: _ = try resolver.value?.resolve(FaultService.self, key: key)
        default: _ = try target.resolve(FaultService.self, key: key)
        }
    }

    /// Calls the locator, notes the outcome and rethrows an error.
    private func call(_ body: () throws -> Void) throws {
        do {
            try body()
            callOutcome.set(.success)
        } catch {
            callOutcome.set(.failure(.init(error)))
            throw error
        }
    }

    // MARK: The operation

    /// Performs the operation, and uses the locator meanwhile if the code does not return.
    private func performWithOthers() async -> FaultOutcome {
        switch testCase.fault {
        case .neverReturns:
            async let outcome = perform()
            await begun.reached()
            await onAnotherThread { [self] in callOutcome.set(useLocator()) }
            released.set()
            return await outcome
        case .awaitsCancellation:
            let task = Task { await perform() }
            await begun.reached()
            task.cancel()
            let outcome = testCase.leavesCode ? await task.value : nil
            released.set()
            if let outcome { return outcome }
            return await task.value
        default: return await perform()
        }
    }

    /// What other threads do while the code does not return.
    private func useLocator() -> FaultOutcome {
        FaultOutcome {
            locator.register(.eager(UInt8(1)))
            _ = try locator.child().resolve(UInt8.self)
            locator.unregisterService(UInt8.self)
            _ = try locator.resolveOptional(UInt8.self)
        }
    }

    private func perform() async -> FaultOutcome {
        switch testCase.path {
        case .resolveAsync: await FaultOutcome { _ = try await target.resolveAsync(FaultService.self, key: key) }
        case .start: await FaultOutcome { try await target.start() }
        case .close: .errors(await target.close().map(FaultOutcome.Failure.init))
        default: await performOnAnotherThread()
        }
    }

    private func performOnAnotherThread() async -> FaultOutcome {
        // The thread sanitizer sees that a lock orders the threads, but not that a continuation does.
        let outcome = Guarded(FaultOutcome.success)
        // With a stack that the faulty code uses up before it reaches the limit of the depth.
        await onAnotherThread(stackSize: 256 << 10) { [self] in outcome.set(FaultOutcome { try performHere() }) }
        return outcome.value
    }

    private func performHere() throws {
        switch testCase.path {
        case .resolve: _ = try target.resolve(FaultService.self, key: key)
        case .property: _ = property.value?()
        case .resolveAll: _ = try target.resolveAll(FaultService.self, key: key)
        case .lazy: _ = try lazy.value?()
        case .provider: _ = try provider.value?()
        case .unregister: target.unregister(FaultService.self, key: key)
        case .replace: try register()
        case .reset: target.reset()
        case .childRelease: child.set(nil)
        case .apply:
            try target.apply(
                FaultModule(probe: probe) { [self] in
                    try register()
                    _ = try target.resolve(FaultService.self, key: key)
                }
            )
        case .resolveAsync, .start, .close: break
        }
    }

    private func register() throws {
        try target.register(registration(), key: key) { (_, _) throws in try probe.visit(.check) }
    }

    // MARK: Afterwards

    /// The locator still registers, resolves and closes; closing disposes of the other instances.
    private func checkLocator() async {
        // A close that began in a creation can still be in progress.
        if testCase.isClosed { await locator.close() }
        let outcome = FaultOutcome {
            locator.register(.eager("afterwards"), key: "afterwards")
            _ = try locator.resolve(String.self, key: "afterwards")
        }
        #expect(outcome == (testCase.isClosed ? .failure(.code(.locatorClosed)) : .success))
        if !testCase.isClosed { #expect(await locator.close().isEmpty) }
        // A close does not wait for a creation that calls it. Such a creation disposes of its instance when it ends.
        while testCase.fault == .closesLocator, !Task.isCancelled,
            created.value < entered.value || disposed.value.count < testCase.disposals(ofCreated: created.value)
        {
            await Task.yield()
        }
        #expect(disposed.value.count == Set(disposed.value).count, "An instance was disposed of twice.")
        #expect(disposed.value.count == testCase.disposals(ofCreated: created.value))
    }

    /// Nothing is alive once the locator is released.
    private func release() async {
        child.set(nil)
        resolver.set(nil)
        property.set(nil)
        lazy.set(nil)
        provider.set(nil)
        root.set(nil)
        #expect(await log.becomesEmpty())
    }
}

extension Guarded {
    fileprivate func set(_ value: Value) { withLock { $0 = value } }
}

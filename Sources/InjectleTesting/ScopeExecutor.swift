internal import Injectle

/// Runs a test and its child tasks, and stops them permanently when a read cannot return.
///
/// Once it is stopped, it starts no job, so neither the test nor its child tasks run on: they keep their memory, and nothing
/// accesses the memory of the code that waited for the test. The wait ends when no job of the test is running.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class ScopeExecutor: TaskExecutor {
    private typealias State = (running: Int, isStopped: Bool, waiting: CheckedContinuation<TestScope.End, Never>?)

    private let state = Mutex<State>((0, false, nil))

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        TestThreads.shared.run { [self] in
            guard begin() else {
                // Else a shared actor would never run another job.
                if job.isOfActor { job.runSynchronously(on: globalConcurrentExecutor.asUnownedTaskExecutor()) }
                return
            }
            TestThreads.executor = self
            job.runSynchronously(on: asUnownedTaskExecutor())
            TestThreads.executor = nil
            end()
        }
    }

    private func begin() -> Bool {
        state.withLock { state in
            if state.isStopped { return false }
            state.running += 1
            return true
        }
    }

    private func end() {
        let waiting = state.withLock { state in
            state.running -= 1
            return state.isStopped && state.running == 0 ? state.waiting.take() : nil
        }
        waiting?.resume(returning: .stopped)
    }

    /// Runs a test until it ends, or is stopped.
    func perform(_ function: @Sendable @concurrent () async throws -> Void) async -> TestScope.End {
        await withoutActuallyEscaping(function) { function in await performCounted(function) }
    }

    @inline(never)
    private func performCounted(_ function: @escaping @Sendable @concurrent () async throws -> Void) async
        -> TestScope.End
    {
        let closure = EscapingClosure.context(of: function)
        let count = EscapingClosure.count(of: closure)
        let end = await perform(Body(function: function))
        if case .stopped = end { EscapingClosure.release(closure, downTo: count) }
        return end
    }

    /// The only object that refers to the closure of a test.
    private final class Body: Sendable {
        let function: @Sendable @concurrent () async throws -> Void

        init(function: @escaping @Sendable @concurrent () async throws -> Void) { self.function = function }
    }

    @inline(never)
    private func perform(_ body: Body) async -> TestScope.End {
        let running = Mutex(Task<Void, Never>?.none)
        let end = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                state.withLock { $0.waiting = continuation }
                let task = Task(executorPreference: self) {
                    do {
                        try await body.function()
                        self.resume(.returned)
                    } catch {
                        self.resume(.threw(error))
                    }
                }
                running.withLock { $0 = task }
                if Task.isCancelled { task.cancel() }
            }
        } onCancel: {
            running.withLock { $0 }?.cancel()
        }
        let task = running.withLock { $0 }
        if case .stopped = end {
            task?.cancel()
        } else {
            // Until then, the task retains the test.
            await task?.value
        }
        return end
    }

    private func resume(_ end: TestScope.End) {
        state.withLock { state in state.isStopped ? nil : state.waiting.take() }?.resume(returning: end)
    }

    /// Stops the test, and blocks the calling thread permanently. Returns if the process needs the thread.
    func stopAndPark() {
        let isOnMainActor = MainActorJobs.isCurrent
        let isOnTestThread = TestThreads.isCurrent
        if !isOnMainActor, !isOnTestThread {
            // Without the hook, nothing could run the other jobs of the main actor.
            if TestThreads.isMain || TestThreads.isOfGlobalQueue && !TestThreads.shared.countForeign() { return }
        }
        let isOwnJob = isOnTestThread && TestThreads.executor === self
        let waiting = state.withLock { state in
            state.isStopped = true
            if isOwnJob { state.running -= 1 }
            return state.running == 0 ? state.waiting.take() : nil
        }
        waiting?.resume(returning: .stopped)
        if isOnMainActor { MainActorJobs.shared.serve() }
        if isOnTestThread { TestThreads.shared.replaceCurrent() }
        // Another job of the test can wait for this one, and then nothing would print the issue.
        if TestThreads.park(until: { state.withLock { $0.running == 0 } }, for: 60) { TestThreads.park() }
    }
}

extension UnownedJob {
    /// Whether it runs the jobs of an actor. Sound: the runtime's layout of a job is part of its binary interface. The fifth
    /// word begins with the kind, which is at least 192.
    fileprivate var isOfActor: Bool {
        unsafeBitCast(self, to: UnsafeRawPointer.self).load(fromByteOffset: 4 * MemoryLayout<UInt>.size, as: UInt8.self)
            >= 192
    }
}

/// The references to a closure that outlives `withoutActuallyEscaping`, which traps if there are more at its end than at its
/// begin.
///
/// A task that is never resumed holds the other references, so nothing accesses the closure, and they can be released.
private enum EscapingClosure {
    static func release(_ context: UnsafeRawPointer?, downTo count: UInt) {
        guard let context else { return }
        for _ in count..<max(count, self.count(of: context)) { Unmanaged<AnyObject>.fromOpaque(context).release() }
    }

    /// The object of a closure. Not an initializer, which would retain the closure.
    @inline(never)
    static func context(of function: @escaping @Sendable @concurrent () async throws -> Void) -> UnsafeRawPointer? {
        // As a property, a function has the words of its own type: the code and the context.
        struct Property { let function: @Sendable @concurrent () async throws -> Void }
        return withUnsafeBytes(of: Property(function: function)) {
            $0.load(fromByteOffset: MemoryLayout<UInt>.size, as: UnsafeRawPointer?.self)
        }
    }

    /// The number of references to the object.
    @inline(never)
    static func count(of context: UnsafeRawPointer?) -> UInt {
        guard let context else { return 0 }
        return Unmanaged<AnyObject>.fromOpaque(context)._withUnsafeGuaranteedRef { _getRetainCount($0) }
    }
}

internal import CInjectle

/// One run of a locator: it starts, its body runs, its children end, and it closes.
///
/// Invariant: the code that runs the locator adds the operation to `all` before it starts, and removes it when it is
/// closed. The streams are safe to use from any thread.
final class RunOperation: Sendable {
    /// A reason for the body to end.
    private enum Cause {
        /// A `running` closure ended early.
        case failed(InjectleError)
        /// Other code closes the locator.
        case closed
    }

    private let core: LocatorCore
    private let causes: (stream: AsyncStream<Cause>, continuation: AsyncStream<Cause>.Continuation)
    /// An element for each child that ended, or several. False is the end of the grace period.
    private let children: (stream: AsyncStream<Bool>, continuation: AsyncStream<Bool>.Continuation)

    private static let lock = Lock()
    // Sound to share: accessed only under `lock`.
    nonisolated(unsafe) private static var all: [RunOperation] = []

    private init(of core: LocatorCore) {
        self.core = core
        causes = AsyncStream.makeStream()
        children = AsyncStream.makeStream()
    }

    // MARK: Notifications

    private static func operations(of core: LocatorCore) -> [RunOperation] {
        lock.withLock { unsafe all.filter { $0.core === core } }
    }

    /// Ends the runs of a locator with the error of a service. Prints the error if there are none.
    static func report(_ error: InjectleError, of core: LocatorCore) {
        let operations = operations(of: core)
        for operation in operations { operation.causes.continuation.yield(.failed(error)) }
        if operations.isEmpty { unsafe injectle_print_error("\(error)\n") }
    }

    /// Ends the runs of locators that are being closed.
    static func end(in cores: [LocatorCore]) {
        let operations = lock.withLock { unsafe all }
        for operation in operations where cores.contains(where: { $0 === operation.core }) {
            operation.causes.continuation.yield(.closed)
        }
    }

    /// Notifies the runs of a locator that wait for its children.
    static func childHasEnded(in core: LocatorCore) {
        for operation in operations(of: core) { operation.children.continuation.yield(true) }
    }

    // MARK: Running

    /// Starts a locator, calls `body`, and closes the locator.
    ///
    /// - Returns: The result of `body`, or the error that kept it from running or ended it.
    static func run<Value: Sendable>(
        _ locator: Locator,
        _ request: ResolveRequest,
        timeout limit: Duration?,
        gracePeriod: Duration?,
        onDisposalErrors report: (([InjectleError]) -> Void)?,
        _ body: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        let core = locator.core
        let operation = RunOperation(of: core)
        lock.withLock { unsafe all.append(operation) }
        core.lock.withLock { core.starts += 1 }
        // A close, or the end of a service, that came before does not find the operation.
        if core.isClosing { operation.causes.continuation.yield(.closed) }
        for error in core.earlyEnds { operation.causes.continuation.yield(.failed(error)) }
        // Sound: nothing changes the request.
        nonisolated(unsafe) let request = request
        let result = await operation.supervise {
            var start = StartOperation(of: core)
            try unsafe await start.run(request, timeout: limit, isolation: nil, nil)
            return try await body()
        }
        // In a task of its own, which the cancellation of the calling task does not cancel.
        let (late, errors) = await Task {
            let late = unsafe await operation.awaitChildren(gracePeriod, request)
            core.lock.withLock { core.starts -= 1 }
            return (late, await CloseOperation.end(core))
        }.value
        lock.withLock { unsafe all.removeAll { $0 === operation } }
        let reported = (late.map { [$0] } ?? []) + errors
        if let report {
            if !reported.isEmpty { report(reported) }
        } else {
            for error in reported where error.kind != .disposalFailed || !core.observes(.didDispose) {
                unsafe injectle_print_error("\(error)\n")
            }
        }
        withExtendedLifetime(locator) {}
        return result
    }

    private enum Outcome<Value: Sendable>: Sendable {
        case body(Result<Value, any Error>)
        case cause(InjectleError?)
    }

    /// Calls `body` in a child task, which it cancels if there is a cause to end it.
    private func supervise<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) async
        -> Result<Value, any Error>
    {
        await withTaskGroup(of: Outcome<Value>.self) { group in
            group.addTask {
                do {
                    return .body(.success(try await body()))
                } catch {
                    return .body(.failure(error))
                }
            }
            group.addTask {
                // The cancellation of the task ends the stream.
                for await cause in self.causes.stream {
                    if case .failed(let error) = cause { return .cause(error) }
                    return .cause(nil)
                }
                return .cause(nil)
            }
            var failure: InjectleError?
            var result: Result<Value, any Error>?
            while let outcome = await group.next() {
                switch outcome {
                case .body(let ended): result = ended
                case .cause(let error): if result == nil { failure = error }
                }
                group.cancelAll()
            }
            // The body may have failed because a service did.
            if case .failure = result { failure = failure ?? core.earlyEnds.first }
            if let failure { return .failure(failure) }
            // One of the children was the body.
            return result ?? .failure(CancellationError())
        }
    }

    /// Waits until all children have ended. Returns an error with those that have not within the grace period.
    private func awaitChildren(_ limit: Duration?, _ request: ResolveRequest) async -> InjectleError? {
        // A child that ends later finds the flag; one that has ended before is terminated below.
        core.lock.withLock { core.set(LocatorHeader.awaitsChildren, true) }
        let timer = limit.map { limit in
            Task { [children] in
                try? await Task.sleep(for: Deadline.clamped(limit))
                children.continuation.yield(false)
            }
        }
        defer { timer?.cancel() }
        var open = core.openChildren
        var ends = children.stream.makeAsyncIterator()
        while !open.isEmpty, await ends.next() == true { open = core.openChildren }
        return open.isEmpty ? nil : .childrenAreOpen(open, after: limit ?? .zero, in: core, request)
    }
}

extension LocatorCore {
    /// The children that are neither closed nor released.
    fileprivate var openChildren: [LocatorCore] {
        children.filter { child in child.lock.withLock { !child.isTerminated } }
    }

    /// Notifies the runs of the parent, if they wait for children. This locator is closed, or no longer in its parent's list.
    func notifyParent() {
        guard let parent, unsafe LocatorHeader.has(LocatorHeader.awaitsChildren, parent.header) else { return }
        RunOperation.childHasEnded(in: parent)
    }

    /// The errors of the running services that have ended early.
    fileprivate var earlyEnds: [InjectleError] {
        var instances: [Instance] = []
        forEachOwnedCell { _, cell in if let product = cell.state.product { instances.append(product) } }
        for entry in ownEntries { if let given = entry.given { instances.append(given) } }
        return instances.flatMap { $0.disposal?.tasks.compactMap(\.earlyEnd) ?? [] }
    }
}

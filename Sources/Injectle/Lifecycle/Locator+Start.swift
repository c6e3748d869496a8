extension Locator {
    /// Makes what is to be there before it is asked for: what is marked ``Registration/atStart()``, and what is made by
    /// asynchronous closures.
    ///
    /// ```swift
    /// struct Index: Sendable { static func load() async throws -> Index { Index() } }
    /// locator.register(.lazy { try await Index.load() })
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start(timeout: .seconds(10)) { progress in print(progress) }
    /// let index: Index = try locator.resolve()  // there
    /// ```
    ///
    /// All are begun side by side, each where its closure was written. Where one needs another, it gets it when that is
    /// there, so no order has to be said. Afterwards, what this locator keeps can be asked for without awaiting.
    /// Asynchronous services that nobody keeps, or that take arguments, are not made, nor is what a parent keeps: start
    /// that, too. See <doc:StartAndClose>.
    ///
    /// It can be called again, and makes what is not there: what was registered since, or what failed.
    ///
    /// - Parameters:
    ///   - limit: How long it may take.
    ///   - isolation: The actor that this runs on, and reports on; filled in.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    ///   - onProgress: Is told at the beginning, and whenever something begins to be made or is there.
    /// - Throws: ``InjectleError``: the first error of a creation; ``InjectleError/startTimedOut``, whose text says what
    ///   is made, what is not, and what waits for what; ``InjectleError/cancelled``. The other creations are then
    ///   cancelled, unless others wait for them. What is there stays. ``InjectleError/locatorClosed`` if the locator
    ///   is.
    /// - Complexity: O(*m* log *m*) in the number of registrations here and in the parents, besides what the creations
    ///   cost; and O(*n*) in the number of services that are made for each report of progress.
    public func start(
        timeout limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onProgress: ((StartProgress) -> Void)? = nil
    ) async throws(InjectleError) {
        let core = core
        let request = ResolveRequest(Locator.self, isolation, fileID, line, isOptional: false).with(
            nil,
            nil,
            requester: .start
        )
        if core.isClosing { throw .closed(core, "Nothing can be started in", request.identity, request) }
        var operation = StartOperation(of: core)
        try await operation.run(request, timeout: limit, isolation: isolation, onProgress)
        withExtendedLifetime(self) {}
    }

    /// How far a start has come.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start { progress in print(progress) }
    /// // Prints:
    /// //     0 of 1 created
    /// //     0 of 1 created, creating App.Database
    /// //     1 of 1 created
    /// ```
    ///
    /// It has no service in it, so it can be kept, and handed to any thread.
    public struct StartProgress: Sendable, CustomStringConvertible {
        /// A service, and how long it takes.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() }.atStart())
        /// try await locator.start { progress in
        ///     for step in progress.completed { print(step.identity, step.duration) }  // Prints "App.Database … seconds"
        /// }
        /// ```
        ///
        /// It is a value, and can be shared by all threads.
        public struct Step: Sendable {
            /// What it is found by.
            public let identity: ServiceKey
            /// How long its creation took, or has taken up to now.
            public let duration: Duration
        }

        /// What is made, in the order in which that was.
        public internal(set) var completed: [Step] = []
        /// What is being made, in the order of registration.
        public internal(set) var running: [Step] = []
        /// What has not begun, in the order of registration.
        public internal(set) var pending: [ServiceKey] = []

        /// How much of all is made, from 0 to 1.
        ///
        /// Where there is nothing to make, it is 1.
        ///
        /// - Complexity: O(1)
        public var fraction: Double {
            let count = completed.count + running.count + pending.count
            return count == 0 ? 1 : Double(completed.count) / Double(count)
        }

        /// One line: how many are made, of how many, and what is being made.
        public var description: String {
            let count = completed.count + running.count + pending.count
            let names = running.map(\.identity.description).joined(separator: ", ")
            return "\(completed.count) of \(count) created\(names.isEmpty ? "" : ", creating \(names)")"
        }
    }
}

extension Locator.Registration {
    /// Lets ``Locator/start(timeout:isolation:fileID:line:onProgress:)`` make the service.
    ///
    /// Until then, and if it is asked for before, it is made at first use, like any other. What nobody keeps is not
    /// made by a start.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start()
    /// print(locator.registrations)  // Prints "[App.Database: lazy, created]"
    /// ```
    ///
    /// - Returns: A copy that is made at the start.
    /// - Complexity: O(1)
    public func atStart() -> Self {
        changed { $0.isAtStart = true }
    }
}

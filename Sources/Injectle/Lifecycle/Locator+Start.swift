extension Locator {
    /// Creates the async services and those that are marked ``Registration/atStart()``.
    ///
    /// ```swift
    /// struct Index: Sendable { static func load() async throws -> Index { Index() } }
    /// locator.register(.lazy { try await Index.load() })
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start(timeout: .seconds(10)) { progress in print(progress) }
    /// let index: Index = try locator.resolve()  // exists already
    /// ```
    ///
    /// The creations run concurrently, each on the actor of its closure. A service that requires another one gets it once
    /// that exists, so no order has to be stated. Async services that are not cached or have arguments are not created, nor
    /// are those that a parent caches: start the parent, too. A service per locator is created by the start of each
    /// descendant of the registering locator, and not by the start of that locator itself, which may not have the
    /// dependencies of its descendants; one per named locator, by the start of each locator of that name. Synchronous
    /// callers can resolve the created services afterwards. See <doc:StartAndClose>.
    ///
    /// Another start creates the services that do not exist, because they were registered since or have failed.
    ///
    /// - Parameters:
    ///   - limit: The time after which the start fails, at most ten years.
    ///   - isolation: The actor of `onProgress`.
    ///   - fileID: The file that errors name.
    ///   - line: The line that errors name.
    ///   - onProgress: Called at the beginning, and whenever a creation begins or ends.
    /// - Throws: ``InjectleError``: the first error of a creation; ``InjectleError/startTimedOut``, whose text lists which
    ///   services exist, which do not, and which wait for others; ``InjectleError/cancelled``. The other creations are then
    ///   cancelled, unless other callers wait for them, and the instances that exist stay.
    ///   ``InjectleError/locatorClosed`` if the locator is closed, also during the start.
    /// - Complexity: O(*m* log *m*) in the number of registrations here and in the parents, plus the cost of the
    ///   creations; and O(*n*) in the number of created services for each report of progress.
    public func start(
        timeout limit: Duration? = nil,
        isolation: isolated (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        onProgress: ((StartProgress) -> Void)? = nil
    ) async throws(InjectleError) {
        let core = core
        var request = ResolveRequest(Locator.self, fileID, line, isOptional: false)
        request.requester = .start
        var operation = StartOperation(of: core)
        try await operation.run(request, timeout: limit, isolation: isolation, onProgress)
        withExtendedLifetime(self) {}
    }

    /// The progress of a start.
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
    /// It contains no instances, and any thread can use it.
    public struct StartProgress: Sendable, CustomStringConvertible {
        /// A service, and the duration of its creation.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() }.atStart())
        /// try await locator.start { progress in
        ///     for step in progress.completed { print(step.identity, step.duration) }  // Prints "App.Database … seconds"
        /// }
        /// ```
        ///
        /// It is a value, and any thread can use it.
        public struct Step: Sendable {
            /// The identity of the service.
            public let identity: Locator.Identity
            /// The duration of its creation, up to now if that is running.
            public let duration: Duration
        }

        /// The services that exist, in the order of creation.
        public internal(set) var completed: [Step] = []
        /// The running creations, in the order of registration.
        public internal(set) var running: [Step] = []
        /// The creations that have not begun, in the order of registration.
        public internal(set) var pending: [Locator.Identity] = []

        /// The fraction of the services that exist, from 0 to 1; without any services, 1.
        ///
        /// - Complexity: O(1)
        public var fraction: Double {
            let count = completed.count + running.count + pending.count
            return count == 0 ? 1 : Double(completed.count) / Double(count)
        }

        /// One line: the number of the services that exist, the number of all, and the running creations.
        public var description: String {
            let count = completed.count + running.count + pending.count
            let names = running.map(\.identity.description).joined(separator: ", ")
            return "\(completed.count) of \(count) created\(names.isEmpty ? "" : ", creating \(names)")"
        }
    }
}

extension Locator.Registration {
    /// Lets ``Locator/start(timeout:isolation:fileID:line:onProgress:)`` create the service.
    ///
    /// A resolve before the start creates it as usual. A start does not create services that no cache keeps, nor those that
    /// belong to another locator, such as a child's instance of a service per locator.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.atStart())
    /// try await locator.start()
    /// print(locator.registrations)  // Prints "[App.Database: lazy, created]"
    /// ```
    ///
    /// - Returns: A copy that is created at the start.
    /// - Complexity: O(1)
    public func atStart() -> Self {
        changed { $0.ownRareFields.isAtStart = true }
    }
}

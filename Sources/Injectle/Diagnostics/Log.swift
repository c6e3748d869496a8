extension Locator {
    /// A behavior that writes a line for each event.
    ///
    /// ```swift
    /// locator.add(Locator.Log([.didRegister, .didUnregister]) { print($0) })
    /// locator.register(.lazy { Garage() })
    /// locator.reset()
    /// // Prints:
    /// //     registered App.Garage (lazy) in the locator "app"
    /// //     unregistered App.Garage (lazy) in the locator "app"
    /// ```
    ///
    /// The closure writes the lines, for example with swift-log:
    ///
    /// ```text
    /// let logger = Logger(label: "services")
    /// Locator.default.add(Locator.Log([.didCreate, .didWait]) { line in logger.debug("\(line)") })
    /// ```
    ///
    /// With the unified logging of Apple's platforms:
    ///
    /// ```text
    /// let logger = Logger(subsystem: "com.example.carpool", category: "services")
    /// Locator.default.add(Locator.Log { line in logger.debug("\(line, privacy: .public)") })
    /// ```
    ///
    /// It can be added to several locators. Several threads can call the closure at the same time.
    public struct Log: Behavior {
        private let kinds: Set<Event.Kind>
        private let write: @Sendable (String) -> Void

        /// Creates a behavior that writes lines.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.didCreate]) { line in print("\(line.prefix(7))…") })
        /// locator.register(.lazy { Garage() })
        /// _ = try locator.resolve(Garage.self)  // Prints "created…"
        /// ```
        ///
        /// - Parameters:
        ///   - kinds: The kinds of events that it writes.
        ///   - write: Called with each line, without a newline, on the thread of the event.
        /// - Complexity: O(1)
        public init(_ kinds: Set<Event.Kind> = Event.Kind.all, _ write: @escaping @Sendable (String) -> Void) {
            self.kinds = kinds
            self.write = write
        }

        /// Writes a registration that was inserted, and its other identities.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.didRegister]) { print($0) })
        /// locator.register(.lazy { Garage() }.as((any Parking).self).asSelf())
        /// // Prints "registered any App.Parking (lazy) in the locator "app", also as App.Garage"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didRegister(_ event: Event) { write(event) }

        /// Writes a service whose creation begins, and its path.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.willCreate]) { print($0) })
        /// locator.register(.lazy { Database() })
        /// locator.register(.volatile { locator in Garage(database: try locator.resolve()) })
        /// _ = try locator.resolve(Garage.self)
        /// // Prints:
        /// //     creating App.Garage (volatile) in the locator "app"
        /// //     creating App.Database (lazy) in the locator "app", for App.Garage
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func willCreate(_ event: Event) { write(event) }

        /// Writes a service that was created, and the duration; or the error.
        ///
        /// ```swift
        /// struct NoRoom: Error {}
        /// locator.add(Locator.Log([.didCreate]) { print($0) })
        /// locator.register(.lazy { () throws -> Garage in throw NoRoom() })
        /// _ = try? locator.resolve(Garage.self)
        /// // Prints "failed to create App.Garage (lazy) in the locator "app" in … ms: NoRoom()"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didCreate(_ event: Event) { write(event) }

        /// Writes a service that was returned, and the duration.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.didResolve]) { print($0) })
        /// locator.register(.eager(Lamp()))
        /// _ = try locator.resolve(Lamp.self)  // Prints "resolved App.Lamp (eager) in the locator "app" in … ms"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didResolve(_ event: Event) { write(event) }

        /// Writes a registration that was removed.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.didUnregister]) { print($0) })
        /// locator.register(.eager(Lamp()))
        /// locator.unregisterService(Lamp.self)  // Prints "unregistered App.Lamp (eager) in the locator "app""
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didUnregister(_ event: Event) { write(event) }

        /// Writes an instance that was disposed of, or the error.
        ///
        /// ```swift
        /// locator.add(Locator.Log([.didDispose]) { print($0) })
        /// locator.register(.eager(User(name: "Ada")).onDispose { _ in })
        /// locator.reset()  // Prints "disposed of App.User (eager) in the locator "app" in … ms"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didDispose(_ event: Event) { write(event) }

        /// Writes the service and the duration of a wait for the main actor, or the error.
        ///
        /// ```swift
        /// @MainActor final class ViewModel {}
        /// locator.add(Locator.Log([.didWait]) { print($0) })
        /// locator.register(.lazy(.main) { ViewModel() })
        /// _ = try await Task.detached { try locator.resolve(ViewModel.self) }.value
        /// // Prints "waited for …ViewModel on the main actor (lazy) in the locator "app" in … ms"
        /// ```
        ///
        /// - Parameter event: The event, which is ignored if its kind is not one of ``Log/init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, besides the cost of the closure.
        public func didWait(_ event: Event) { write(event) }

        private func write(_ event: Event) {
            if kinds.contains(event.kind) { write(event.description) }
        }
    }
}

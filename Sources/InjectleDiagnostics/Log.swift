public import Injectle

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
    /// Locator.default.add(Locator.Log([.didCreate, .didDispose]) { line in logger.debug("\(line)") })
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
        /// The kinds of events that it writes.
        public let observedKinds: Set<Event.Kind>
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
            observedKinds = kinds
            self.write = write
        }

        /// Writes an event as its `description`.
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
        /// - Parameter event: The event, which is ignored if its kind is not one of ``init(_:_:)``.
        /// - Complexity: O(*n*) in the length of the line, plus the cost of the closure.
        public func handle(_ event: Event) {
            if observedKinds.contains(event.kind) { write(event.description) }
        }
    }
}

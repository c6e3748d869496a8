extension Locator {
    /// A behavior that writes a line for each event.
    ///
    /// ```swift
    /// Locator.default.add(Locator.Log { print($0) })
    /// ```
    ///
    /// prints lines such as
    ///
    /// ```text
    /// registered Garage (lazy) in the default locator
    /// making Garage (lazy) in the default locator, for Trip
    /// made Garage (lazy) in the default locator in 1.250 ms, for Trip
    /// ```
    ///
    /// The closure says where the lines go. With swift-log:
    ///
    /// ```swift package
    /// let logger = Logger(label: "services")
    /// Locator.default.add(Locator.Log([.didCreate, .didWait]) { line in logger.debug("\(line)") })
    /// ```
    ///
    /// With the unified logging of Apple's platforms:
    ///
    /// ```swift package
    /// let logger = Logger(subsystem: "com.example.carpool", category: "services")
    /// Locator.default.add(Locator.Log { line in logger.debug("\(line, privacy: .public)") })
    /// ```
    public struct Log: Behavior {
        private let kinds: Set<Event.Kind>
        private let write: @Sendable (String) -> Void

        /// Makes a behavior that writes lines.
        ///
        /// - Parameters:
        ///   - kinds: The events that are written; all, if left out.
        ///   - write: Is given each line, without its end, on the thread where the event happens.
        public init(_ kinds: Set<Event.Kind> = Event.Kind.all, _ write: @escaping @Sendable (String) -> Void) {
            self.kinds = kinds
            self.write = write
        }

        public func didRegister(_ event: Event) { write(event) }
        public func willCreate(_ event: Event) { write(event) }
        public func didCreate(_ event: Event) { write(event) }
        public func didResolve(_ event: Event) { write(event) }
        public func didUnregister(_ event: Event) { write(event) }
        public func didDispose(_ event: Event) { write(event) }
        public func didWait(_ event: Event) { write(event) }

        private func write(_ event: Event) {
            if kinds.contains(event.kind) { write(event.description) }
        }
    }
}

extension Locator {
    /// Returns the override of the calling task, to bind it where a task-local does not reach.
    ///
    /// ```swift
    /// let mocks = Locator("mocks") { $0.register(.eager(Taxi()), for: (any Car).self) }
    /// let text = await Locator.$shared.withValue(mocks) {
    ///     let captured = Locator.capture()
    ///     return await Task.detached { captured.run { Trip().describe() } }.value
    /// }
    /// print(text)  // Prints "a trip by taxi"
    /// ```
    ///
    /// A child task, and a `Task { … }`, has the override of the code that creates it. A detached task, a thread, a closure on
    /// a Dispatch queue and the callback of a C function have none.
    ///
    /// - Returns: The override. Without one, a value that binds none.
    public static func capture() -> Capture { Capture(locator: CurrentLocator.override ?? .current) }

    /// The override of the code that captured it.
    ///
    /// ```swift
    /// import Dispatch
    /// import Injectle
    ///
    /// func describe(on queue: DispatchQueue, then deliver: @escaping @Sendable (String) -> Void) {
    ///     let captured = Locator.capture()
    ///     queue.async { captured.run { deliver("\(Locator.shared.registrations)") } }
    /// }
    /// ```
    ///
    /// It retains the locator. Any thread can use it, more than once.
    public struct Capture: Sendable {
        let locator: Locator

        /// Runs a closure with the captured override.
        ///
        /// ```swift
        /// let captured = Locator.$shared.withValue(locator) { Locator.capture() }
        /// locator.register(.eager(Settings(currency: "EUR")))
        /// print(try captured.run { try Locator.shared.resolve(Settings.self).currency })  // Prints "EUR"
        /// ```
        ///
        /// - Parameter body: The closure, which runs on the calling thread.
        /// - Returns: The result of the closure.
        /// - Throws: The error of the closure.
        public func run<Value>(_ body: () throws -> Value) rethrows -> Value {
            try Locator.$shared.withValue(locator, operation: body)
        }

        /// Runs an async closure with the captured override.
        ///
        /// ```swift
        /// let captured = Locator.capture()
        /// let text = await Task.detached { await captured.run { await Task.yield(); return "done" } }.value
        /// print(text)  // Prints "done"
        /// ```
        ///
        /// - Parameters:
        ///   - isolation: The actor that the closure runs on: the caller's.
        ///   - body: The closure.
        /// - Returns: The result of the closure.
        /// - Throws: The error of the closure.
        public func run<Value>(
            isolation: isolated (any Actor)? = #isolation,
            _ body: () async throws -> Value
        ) async rethrows -> Value {
            try await Locator.$shared.withValue(locator, operation: body)
        }
    }
}

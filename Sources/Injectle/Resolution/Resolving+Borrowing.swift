public import CInjectle

extension Locator.Resolving {
    /// Calls a closure with the service of a type, without changing the reference count of an existing instance.
    ///
    /// ```swift
    /// locator.register(.lazy { Settings(currency: "EUR") })
    /// let currency = try locator.withService(Settings.self) { settings in settings.currency }
    /// print(currency)  // Prints "EUR"
    /// ```
    ///
    /// For code that uses one service on many cores. Each ``resolve(fileID:line:)->Service`` retains the
    /// instance that it returns, and only one core at a time can change its reference count. The closure is synchronous,
    /// because the thread that borrows the instance must end the loan.
    ///
    /// - Parameters:
    ///   - type: The type of the service, inferred if left out.
    ///   - body: Called once with the service.
    /// - Returns: The result of the closure.
    /// - Throws: The error of the closure, or ``InjectleError`` as ``resolve(fileID:line:)->Service``.
    @inlinable
    public func withService<Service, Value>(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ body: (Service) throws -> Value
    ) throws -> Value {
        let context = resolvingContext
        defer { withExtendedLifetime(self) {} }
        guard context.arguments == nil, let borrowed = unsafe LocatorHeader.borrow(type, context.header) else {
            return try body(resolve(type, fileID: fileID, line: line))
        }
        defer { unsafe LocatorHeader.endBorrow(borrowed.thread) }
        return try unsafe body(borrowed.service.pointee)
    }
}

extension LocatorHeader {
    /// Holds the published instance of an identity without a key, until `endBorrow`. Nil if there is none.
    @inlinable
    @inline(__always)
    static func borrow<Service>(
        _ type: Service.Type,
        _ header: UnsafeMutablePointer<LocatorHeader>
    ) -> (thread: UnsafeMutablePointer<injectle_thread>, service: UnsafeMutablePointer<Service>)? {
        let thread = unsafe injectle_enter()
        defer { unsafe injectle_leave(thread) }
        guard let entry = unsafe find(UInt(bitPattern: ObjectIdentifier(type)), from: header),
            let service = unsafe published(entry, header), unsafe injectle_can_hold(thread),
            // Null if the instance is being withdrawn.
            let form = unsafe entry.withHeader({ unsafe injectle_load(&$0.pointee.form) })
        else { return nil }
        unsafe injectle_hold(thread, form)
        return unsafe (thread, service.assumingMemoryBound(to: Service.self))
    }

    @inlinable
    @inline(__always)
    static func endBorrow(_ thread: UnsafeMutablePointer<injectle_thread>) {
        if unsafe injectle_release_hold(thread) { releaseHeld() }
    }

    @usableFromInline
    @inline(never)
    static func releaseHeld() { Reclaimer.releaseHeld() }
}

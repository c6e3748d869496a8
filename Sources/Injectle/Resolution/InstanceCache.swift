/// The cell in which an instance of a registration is created and cached.
typealias OnceCell = Runtime.OnceCell<RegistrationRecord, Instance, InjectleError>

/// An object that caches instances in cells: a locator, a scope, a resolve, or the property of a wrapper.
protocol InstanceCache: AnyObject {
    /// Calls `body` with the cell for the instance of a record, under the lock that guards it. Returns false if the cache
    /// has no cell for that record any more.
    ///
    /// Not generic, since the compiler would not specialize it for an unknown cache.
    ///
    /// - Parameter key: The arguments that tell the instances of one record apart.
    func withCell(
        of record: RegistrationRecord,
        for caller: LocatorCore,
        given key: Arguments.Key?,
        _ body: (OnceCell) -> Void
    ) -> Bool

    /// Ends the creation in `cell` with an instance, and publishes that to readers.
    func succeed(_ cell: OnceCell, with instance: Instance) -> OnceCell.Ended

    /// Ends the creation in `cell` without an instance.
    func fail(_ cell: OnceCell) -> OnceCell.Ended

    /// Removes a waiter from `cell`. Returns false if the creation has ended.
    func leave(_ cell: OnceCell, _ waiter: OnceCell.Waiter) -> Bool

    /// Discards the instances of a record, or only the instance of some arguments.
    func drop(_ record: RegistrationRecord, given key: Arguments.Key?, _ retired: inout RetireList)

    /// Calls `body` with each cell, under the lock.
    func forEachCell(_ body: (OnceCell) -> Void)
}

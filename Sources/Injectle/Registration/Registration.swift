extension Locator {
    /// How a service comes to be, how long it lives, and as what it is known: a value, complete before a locator sees
    /// it.
    ///
    /// Made by a lifetime and refined by modifiers, each of which returns a copy:
    ///
    /// ```swift
    /// let registration = Locator.Registration<Garage>.lazy { Garage() }
    ///     .as((any Parking).self)
    ///     .final()
    /// locator.register(registration)
    /// ```
    ///
    /// The same value can be registered in several locators; each makes its own instances, except that of an eager one,
    /// which is the value that was given.
    ///
    /// It is not `Sendable`, since what its closure captures may not be: make it where it is registered. What it makes
    /// is asked for from any thread; where its closure runs is said with the lifetime.
    public struct Registration<Service> {
        /// All of it. One reference without a type of its own, and what is done with it is not generic or is inlined:
        /// else the runtime would make and keep metadata of this type for each service that is registered.
        @usableFromInline var record: RegistrationRecord

        @inlinable
        @inline(__always)
        init(_ record: RegistrationRecord) {
            self.record = record
        }

        /// A copy of this value that was changed.
        func changed(_ change: (RegistrationRecord) -> Void) -> Self {
            let record = record.copied()
            change(record)
            return Self(record)
        }
    }
}

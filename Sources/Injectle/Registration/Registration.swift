extension Locator {
    /// A value that describes a service: its factory closure, its lifetime and its identities.
    ///
    /// A lifetime creates it, and each modifier returns a changed copy:
    ///
    /// ```swift
    /// let registration = Locator.Registration<Garage>.lazy { Garage() }
    ///     .as((any Parking).self)
    ///     .final()
    /// locator.register(registration)
    /// ```
    ///
    /// Several locators can register the same value. Each creates its own instances; an eager instance is shared.
    ///
    /// It is not `Sendable`, since its closure can capture values that are not. Any thread can resolve its service.
    @frozen
    public struct Registration<Service> {
        /// The content. Functions of this type are inlined or not generic, since the runtime would otherwise create
        /// metadata of this type for each service.
        @usableFromInline var record: RegistrationRecord

        @inlinable
        @inline(__always)
        init(_ record: RegistrationRecord) {
            self.record = record
        }

        /// Returns a changed copy.
        func changed(_ change: (RegistrationRecord) -> Void) -> Self {
            let record = record.copied()
            change(record)
            return Self(record)
        }
    }
}

// A public structure that is frozen would else be `Sendable` if its properties are. The record is, for the library's own use.
@available(*, unavailable)
extension Locator.Registration: Sendable {}

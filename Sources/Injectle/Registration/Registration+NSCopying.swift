// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator.Registration where Service: NSCopying {
    /// Gives everyone a copy of their own of one prototype.
    ///
    /// ```swift
    /// locator.register(.factory(Bmw(model: "M5")))
    /// let mine: Bmw = try locator.resolve()
    /// let yours: Bmw = try locator.resolve()
    /// print(mine === yours, mine.model == yours.model)  // Prints "false true"
    /// ```
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, at first use. Each resolve and each property gets a `copy(with:)` of it, so an
    ///     object that is made right here is made only to be copied.
    ///   - isolation: The actor that the prototype is made and copied on; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of such a service.
    /// - Throws: Nothing by itself. What `prototype` throws, and that a copy is of another type, is
    ///   ``InjectleError/factoryFailed`` of the resolve.
    /// - Complexity: O(1). The prototype is not made yet.
    public static func factory(
        _ prototype: @autoclosure @escaping () throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        factory(prototype, Place(isolation), isSendable: false, SourceLocation(fileID, line))
    }

    /// Gives everyone a copy of their own of one prototype that is known to be `Sendable`.
    ///
    /// The same as ``factory(_:isolation:fileID:line:)-1igef``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands a copy to other actors, too, once it is made.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// final class Stamp: NSCopying, Sendable {
    ///     func copy(with zone: NSZone? = nil) -> Any { Stamp() }
    /// }
    ///
    /// func registerStamps(in locator: Locator) {
    ///     locator.register(.factory(Stamp()))
    /// }
    /// ```
    public static func factory(
        _ prototype: @autoclosure @escaping () throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        factory(prototype, Place(isolation), isSendable: true, SourceLocation(fileID, line))
    }

    private static func factory(
        _ prototype: @escaping () throws -> Service,
        _ place: Place,
        isSendable: Bool,
        _ location: SourceLocation
    ) -> Self {
        let copy: Copy = { _, _, prototype, storage in
            let copy = prototype.assumingMemoryBound(to: Service.self).pointee.copy(with: nil)
            guard let copy = copy as? Service else { throw NotACopy(type: Service.self) }
            storage.initializeMemory(as: Service.self, to: copy)
        }
        let record = RegistrationRecord(
            of: Service.self,
            .factory,
            at: place,
            isSendable: isSendable,
            location,
            RegistrationRecord.RareFields(copy: copy)
        ) { _, _, storage in
            storage.initializeMemory(as: Service.self, to: try prototype())
        }
        return Self(record)
    }
}

/// What a `copy(with:)` that returns something else than its own type is reported as.
struct NotACopy: Error, CustomStringConvertible {
    let type: Any.Type

    var description: String { "`copy(with:)` of \(spelled(type)) returned something that is no \(spelled(type))" }
}

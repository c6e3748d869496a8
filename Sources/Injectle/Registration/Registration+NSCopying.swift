// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator.Registration where Service: NSCopying {
    /// A service of which everyone gets a copy of their own.
    ///
    /// ```swift
    /// locator.register(.factory(Bmw(model: "M5")))
    /// ```
    ///
    /// - Parameters:
    ///   - prototype: Evaluated once, at first use. Each resolve and each property gets a `copy(with:)` of it, so an
    ///     object that is made right here is made only to be copied.
    ///   - isolation: The actor that the prototype is made and copied on; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    public static func factory(
        _ prototype: @autoclosure @escaping () throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        factory(prototype, Place(isolation), isSendable: false, Site(fileID, line))
    }

    /// A service of which everyone gets a copy of their own.
    ///
    /// As the other `factory`, for a service that is known to be `Sendable`.
    public static func factory(
        _ prototype: @autoclosure @escaping () throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Sendable {
        factory(prototype, Place(isolation), isSendable: true, Site(fileID, line))
    }

    private static func factory(
        _ prototype: @escaping () throws -> Service,
        _ place: Place,
        isSendable: Bool,
        _ site: Site
    ) -> Self {
        let copy: Copy = { _, _, prototype, storage in
            let copy = prototype.assumingMemoryBound(to: Service.self).pointee.copy(with: nil)
            guard let copy = copy as? Service else { throw NotACopy(type: Service.self) }
            storage.initializeMemory(as: Service.self, to: copy)
        }
        let record = Record(
            of: Service.self,
            .factory,
            at: place,
            isSendable: isSendable,
            site,
            Record.Extra(copy: copy)
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

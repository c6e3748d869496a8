// The one thing here that Foundation has: `NSCopying`.
public import Foundation

extension Locator.Registration where Service: NSCopying {
    /// Registers a prototype that is copied for each resolve and each injected property.
    ///
    /// ```swift
    /// locator.register(.factory(Bmw(model: "M5")))
    /// let mine: Bmw = try locator.resolve()
    /// let yours: Bmw = try locator.resolve()
    /// print(mine === yours, mine.model == yours.model)  // Prints "false true"
    /// ```
    ///
    /// A copy of another type is ``InjectleError/factoryFailed``.
    ///
    /// - Parameter prototype: Creates the prototype on first use. It is not returned itself, only copies of it.
    public static func factory(
        _ prototype: @autoclosure @escaping () throws -> Service,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        let copy: Copy = { _, _, prototype, storage in
            let copy = unsafe prototype.assumingMemoryBound(to: Service.self).pointee.copy(with: nil)
            guard let copy = copy as? Service else { return CreationFailure.notACopy(of: Service.self) }
            unsafe storage.initializeMemory(as: Service.self, to: copy)
            return nil
        }
        let record = unsafe RegistrationRecord(
            of: Service.self,
            .factory,
            at: ClosureIsolation(isolation),
            SourceLocation(fileID, line),
            RegistrationRecord.RareFields(copy: copy)
        ) { _, _, storage in
            unsafe initialize(storage, by: prototype)
        }
        return Self(record)
    }
}

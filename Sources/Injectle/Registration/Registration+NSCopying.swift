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
        var traits = RegistrationTraits(Service.self, .factory, isolation, SourceLocation(fileID, line))
        traits.receivesResolver = false
        let copy = { (prototype: Service) throws -> Service in
            if let copy = prototype.copy(with: nil) as? Service { return copy }
            throw CreationFailure.notACopy(of: Service.self)
        }
        return Self(Record(traits, closure: { _, _ in try prototype() }, copy: copy))
    }
}

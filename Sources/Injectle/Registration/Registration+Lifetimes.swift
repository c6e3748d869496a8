extension Locator.Registration {
    /// Registers an instance that exists: an eager singleton.
    ///
    /// ```swift
    /// let garage = Garage()
    /// locator.register(.eager(garage))
    /// print(try locator.resolve(Garage.self) === garage)  // Prints "true"
    /// ```
    ///
    /// - Parameter service: The instance, which the locator retains.
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        let (given, location) = (Instance.make(service), SourceLocation(fileID, line))
        return unsafe Self(RegistrationRecord(of: Service.self, .eager, at: .anywhere, location, given: given))
    }

    /// Registers an object that something else retains.
    ///
    /// ```swift
    /// final class Window {}
    ///
    /// var window: Window? = Window()
    /// if let window { locator.register(.eager(unowned: window)) }
    /// print(try locator.resolve(Window.self) === window)  // Prints "true"
    /// window = nil
    /// do {
    ///     _ = try locator.resolve(Window.self)
    /// } catch {
    ///     print(error.code)  // Prints "instanceReleased"
    /// }
    /// ```
    ///
    /// Once the object has been released, resolving throws ``InjectleError/instanceReleased``.
    ///
    /// - Parameter object: The object. Resolving a value that is no object throws ``InjectleError/notAnObject``.
    public static func eager(unowned object: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        let reference = Instance.make(object).weakened
        let location = SourceLocation(fileID, line)
        return unsafe Self(
            RegistrationRecord(of: Service.self, .unowned, at: .anywhere, location) { _, _, storage in
                guard let reference else { return CreationFailure.notAnObject }
                guard let object = reference.revived(as: Service.self) else { return CreationFailure.released }
                unsafe object.copy(to: storage)
                return nil
            }
        )
    }

}

extension Locator.Registration {
    /// Changes when an instance is created and which cache keeps it.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() }.lifetime(.weak))
    /// locator.register(.lazy { Garage() }.lifetime(.perLocator))
    /// locator.register(.lazy { (locator, name: String) in User(name: name) }.lifetime(.perArgument))
    /// ```
    ///
    /// A registration by `.eager` or `.factory` has its lifetime already, and stays as it is.
    ///
    /// - Parameter lifetime: A ``Locator/Lifetime`` or a ``Locator/CustomLifetime``.
    public func lifetime(_ lifetime: some Locator.LifetimeConvertible) -> Self {
        if record.lifetime.isPreconstructed { return self }
        return Self(record.copied(lifetime: lifetime.lifetime)).withoutDefaultLifetime()
    }

    /// Keeps the lifetime, whatever the default lifetime of the locator is.
    consuming func withoutDefaultLifetime() -> Self {
        record.hasChosenLifetime = true
        return self
    }
}

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
    @inlinable
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        let traits = RegistrationTraits(Service.self, .eager, nil, SourceLocation(fileID, line))
        return Self(Record<Service>(traits, supplied: Instance(service, order: AnyInstance.nextOrder)))
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
        if record.traits.lifetime.isPreconstructed { return self }
        return changed { $0.traits.lifetime = lifetime.lifetime.ofClosure }
    }
}

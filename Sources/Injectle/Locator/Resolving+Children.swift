extension Locator.Resolving {
    /// Creates a child locator, which finds in its parent the services that it does not have.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")))
    /// let request = locator.child("request")
    /// print(try request.resolve(User.self).name)  // Prints "Ada"
    /// ```
    ///
    /// A child of a ``Locator`` retains its parent, a child of a ``Resolver`` does not.
    ///
    /// - Parameter name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    public func child(_ name: Locator.Name? = nil) -> Locator {
        Locator(LocatorCore(name?.rawValue, below: resolver.core, retainsLocator: Self.self == Locator.self))
    }

    /// Creates a child locator and registers its services.
    ///
    /// ```swift
    /// let request = locator.child("request") { request in
    ///     request.register(.eager(User(name: "Grace")))
    /// }
    /// print(try request.resolve(User.self).name)  // Prints "Grace"
    /// ```
    ///
    /// While `build` runs, the child is bound in the task: properties of objects that it creates resolve from
    /// the child, which they do not retain.
    ///
    /// - Parameters:
    ///   - name: The name in error texts, and for ``Lifetime/perLocator(named:)``.
    ///   - build: Registers the services of the child.
    /// - Throws: The error of `build`.
    public func child(_ name: Locator.Name? = nil, _ build: (Locator) throws -> Void) rethrows -> Locator {
        let child = child(name)
        try Locator.$shared.withValue(child) { try child.beingBuilt(by: build) }
        return child
    }
}

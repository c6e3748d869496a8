extension Locator {
    /// Closes this locator and its descendants: disposes of their instances in reverse order of creation, and releases
    /// them.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")).onDispose { print("good-bye,", $0.name) })
    /// for error in await locator.close() { print(error) }
    /// // Prints "good-bye, Ada"
    /// ```
    ///
    /// Running creations of cached instances end first. Creations in tasks are cancelled. Then the `onDispose` hooks
    /// run one after the other, each on its actor, in reverse order of creation, across lifetimes and locators.
    /// Meanwhile, existing instances can be resolved, and no new instances are cached. Then each resolve throws
    /// ``InjectleError/locatorClosed``, and registrations are ignored. A closed locator does not open again, not even
    /// the default one; ``resetAsync(isolation:)`` empties a locator that stays in use. See <doc:StartAndClose>.
    ///
    /// Another call returns the same errors once the first one has ended. Cancelling the calling task does not end a
    /// close. A hook or a creation that the close waits for does not wait for it.
    ///
    /// - Parameter isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw, in the order in which they ran.
    /// - Complexity: O(*n* log *n*) in the number of registrations and instances here and below, and the cost of the
    ///   hooks.
    @discardableResult
    public func close(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        await CloseOperation.end(core)
    }

    /// Removes all registrations, and disposes of their instances in reverse order of creation.
    ///
    /// Unlike ``reset()``, it also runs async `onDispose` hooks. The locator stays in use.
    ///
    /// ```swift
    /// actor Connection { func shutdown() { print("shut down") } }
    /// locator.register(.eager(Connection()).onDispose { await $0.shutdown() })
    /// await locator.resetAsync()  // Prints "shut down"
    /// print(locator.registrations.count)  // Prints "0"
    /// ```
    ///
    /// - Parameter isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw, in the order in which they ran.
    /// - Complexity: O(*n* log *n*) in the number of registrations and instances here, and the cost of the hooks.
    @discardableResult
    public func resetAsync(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        let core = core
        return await Disposal.awaiting { core.empty() }
    }

    /// Removes the registrations of a type, and disposes of their instances.
    ///
    /// Unlike ``unregister(_:key:)``, it also runs async `onDispose` hooks.
    ///
    /// ```swift
    /// struct DiskIsFull: Error {}
    /// locator.register(.eager(User(name: "Ada")).onDispose { _ in throw DiskIsFull() })
    /// for error in await locator.unregisterAsync(User.self) { print(error == .disposalFailed) }  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The registered type.
    ///   - key: The registered key.
    ///   - isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw, in the order in which they ran.
    /// - Complexity: As ``unregister(_:key:)``, and the cost of the hooks.
    @discardableResult
    public func unregisterAsync<Service>(
        _ type: Service.Type,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async -> [InjectleError] {
        await Disposal.awaiting { unregister(type, key: key) }
    }
}

extension Locator.RegistrationHandle {
    /// Removes the registration, and disposes of its instances.
    ///
    /// Unlike ``remove()``, it also runs async `onDispose` hooks.
    ///
    /// ```swift
    /// actor Connection { func shutdown() { print("shut down") } }
    /// let connection = locator.register(.eager(Connection()).onDispose { await $0.shutdown() })
    /// await connection.removeAsync()  // Prints "shut down"
    /// ```
    ///
    /// - Parameter isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw, in the order in which they ran.
    /// - Complexity: As ``remove()``, and the cost of the hooks.
    @discardableResult
    public func removeAsync(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        await Disposal.awaiting { remove() }
    }
}

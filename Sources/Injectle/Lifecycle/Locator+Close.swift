extension Locator {
    /// Ends this locator and all below it: disposes of what they made and keep, the last made first, and lets go of
    /// all.
    ///
    /// ```swift
    /// locator.register(.eager(User(name: "Ada")).onDispose { print("good-bye,", $0.name) })
    /// for error in await locator.close() { print(error) }
    /// // Prints "good-bye, Ada"
    /// ```
    ///
    /// What is being made to be kept ends first: asynchronous creations are cancelled, and others waited for. Disposers
    /// then run one after the other, each where it was written, in the reverse order of creation, whatever the lifetimes
    /// and in whichever of the locators. While they run, what is there can be asked for, and nothing is made that would
    /// be kept. Afterwards, whoever asks is refused by ``InjectleError/locatorClosed``, and what is registered is not
    /// taken. The default locator, too, does not open again; to go on, empty it by ``resetAsync(isolation:)``. See
    /// <doc:StartAndClose>.
    ///
    /// CloseOperation again does nothing, and returns the same once the first has ended. It goes on if the calling task is
    /// cancelled. Where it would wait for who calls it, as for a disposer or a creation of this locator, it does not
    /// wait.
    ///
    /// - Parameter isolation: The actor that this returns to; filled in.
    /// - Returns: An ``InjectleError/disposalFailed`` for each disposer that threw, in the order in which they ran.
    /// - Complexity: O(*n* log *n*) in the number of what is registered and made here and below, besides what the
    ///   disposers cost.
    @discardableResult
    public func close(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        await CloseOperation.end(core)
    }

    /// Removes all registrations, and disposes of what was made of them, the last made first.
    ///
    /// Whoever has this locator sees it empty, and can register again. As ``reset()``, but also runs the disposers that
    /// await.
    ///
    /// ```swift
    /// actor Connection { func shutdown() { print("shut down") } }
    /// locator.register(.eager(Connection()).onDispose { await $0.shutdown() })
    /// await locator.resetAsync()  // Prints "shut down"
    /// print(locator.registrations.count)  // Prints "0"
    /// ```
    ///
    /// - Parameter isolation: The actor that this returns to; filled in.
    /// - Returns: An ``InjectleError/disposalFailed`` for each disposer that threw, in the order in which they ran.
    /// - Complexity: O(*n* log *n*) in the number of what is registered and made here, besides what the disposers cost.
    @discardableResult
    public func resetAsync(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        let core = core
        return await Disposal.end(Disposal.collecting { core.empty() })
    }

    /// Removes the service that was registered as a type, and disposes of what was made of it.
    ///
    /// As ``unregister(_:key:)``, but also runs the disposers that await.
    ///
    /// ```swift
    /// struct DiskIsFull: Error {}
    /// locator.register(.eager(User(name: "Ada")).onDispose { _ in throw DiskIsFull() })
    /// for error in await locator.unregisterAsync(User.self) { print(error.code) }  // Prints "disposalFailed"
    /// ```
    ///
    /// - Parameters:
    ///   - type: The type it was registered as.
    ///   - key: The key it was registered under.
    ///   - isolation: The actor that this returns to; filled in.
    /// - Returns: An ``InjectleError/disposalFailed`` for each disposer that threw, in the order in which they ran.
    /// - Complexity: That of ``unregister(_:key:)``, besides what the disposers cost.
    @discardableResult
    public func unregisterAsync<Service>(
        _ type: Service.Type,
        key: AnyHashable? = nil,
        isolation: isolated (any Actor)? = #isolation
    ) async -> [InjectleError] {
        await Disposal.end(Disposal.collecting { unregister(type, key: key) })
    }
}

extension Locator.RegistrationHandle {
    /// Removes the registration, and disposes of what was made of it.
    ///
    /// As ``remove()``, but also runs the disposers that await.
    ///
    /// ```swift
    /// actor Connection { func shutdown() { print("shut down") } }
    /// let connection = locator.register(.eager(Connection()).onDispose { await $0.shutdown() })
    /// await connection.removeAsync()  // Prints "shut down"
    /// ```
    ///
    /// - Parameter isolation: The actor that this returns to; filled in.
    /// - Returns: An ``InjectleError/disposalFailed`` for each disposer that threw, in the order in which they ran.
    /// - Complexity: That of ``remove()``, besides what the disposers cost.
    @discardableResult
    public func removeAsync(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        await Disposal.end(Disposal.collecting { remove() })
    }
}

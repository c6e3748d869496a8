extension Locator.Registration {
    /// Adds a hook that disposes of an instance once its locator drops it.
    ///
    /// The hook runs once for each cached instance: of a locator, when the registration is replaced or removed, the
    /// instance or the locator is reset, the locator is closed, or the last reference to it is released; of a
    /// ``Locator/Scope``, when the scope drops it; of a resolve, for a graph service that another service required,
    /// when the resolve ends. If several caches have the instance, as several locators that have registered one value,
    /// the last one runs its hook. Instances that no cache has, such as volatile ones, copies, weak ones and graph
    /// services that were resolved themselves, are not disposed of, nor is a value that is the default of a
    /// ``ServiceKey``. A preconstructed instance with ``afterInit(_:)`` is cached from its first use on.
    ///
    /// Replacing a registration does not end the instances of child locators, whose code may use them: a child resolves
    /// the new registration from then on, and disposes of its old instance when it ends or is reset.
    ///
    /// Instances that are dropped together are disposed of in reverse order of creation, and released after that. So a
    /// hook can use the dependencies of its service, and resolve them. The hooks of one registration run in the order
    /// of their addition. An instance that is dropped while it is created is disposed of, and the request tries again.
    ///
    /// ```swift
    /// locator.register(.lazy { Garage() }.onDispose { garage in print("locked") })
    /// let garage: Garage = try locator.resolve()
    /// locator.reset()  // Prints "locked"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor of the hook. If a synchronous caller runs elsewhere, the actor runs the hook later.
    ///   - dispose: The hook. No lock is held while it runs.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. ``Locator/close(gracePeriod:isolation:)`` returns the errors of hooks; a
    ///   synchronous caller reports them by ``Locator/Event/Kind/didDispose``, or to standard error if no behavior
    ///   observes that.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(isolation: (any Actor)? = #isolation, _ dispose: @escaping (Service) throws -> Void) -> Self {
        let place = ClosureIsolation(isolation)
        return changed { record in
            record.add { service in
                let run = UncheckedBox { try dispose(service) }
                let synchronous = Disposer.Synchronous(isolation: place, run: run.value)
                return Disposer(synchronous: synchronous) { try await place.run(run.value) }
            }
        }
    }

    /// Adds a hook of the main actor that disposes of an instance once its locator drops it.
    ///
    /// ```swift
    /// @MainActor final class ViewModel { var title = "" }
    ///
    /// locator.register(.lazy(.main) { ViewModel() }.onDispose(.main) { model in print("closed", model.title) })
    /// ```
    ///
    /// For a registration that is written in a function without isolation. Otherwise like ``onDispose(isolation:_:)``.
    ///
    /// - Parameters:
    ///   - isolation: `.main`.
    ///   - dispose: The hook.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself, as ``onDispose(isolation:_:)``.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(
        _ isolation: Locator.OnMainActor,
        _ dispose: @escaping @MainActor (Service) throws -> Void
    ) -> Self {
        onDispose(isolation: MainActor.shared) { service in
            let service = UncheckedBox(service)
            try onMainActor { try dispose(service.value) }
        }
    }

    /// Adds an async hook that disposes of an instance once its locator drops it.
    ///
    /// ``Locator/close(gracePeriod:isolation:)`` awaits the hook. If the registration is replaced or removed, the
    /// instance or the locator is reset, or the last reference to the locator is released, the hook runs in a task of
    /// its own, after the hooks of instances that were created later.
    ///
    /// ```swift
    /// actor Connection {
    ///     func close() { print("closed") }
    /// }
    ///
    /// locator.register(.lazy { Connection() }.onDispose { await $0.close() })
    /// let connection: Connection = try locator.resolve()
    /// _ = await locator.close()  // Prints "closed"
    /// ```
    ///
    /// - Parameter dispose: The hook. It runs on the actor that it is written on, if that is the main actor or the hook
    ///   uses it, else on none.
    /// - Returns: A copy with the hook added.
    /// - Throws: Nothing by itself. Errors are reported as with ``onDispose(isolation:_:)``.
    /// - Complexity: O(*n*) in the number of its hooks.
    public func onDispose(_ dispose: @escaping @concurrent (Service) async throws -> Void) -> Self {
        changed { record in
            record.add { service in
                let service = UncheckedBox(service)
                let dispose = UncheckedBox(dispose)
                return Disposer(synchronous: nil) { try await dispose.value(service.value) }
            }
        }
    }
}

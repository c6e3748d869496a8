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
    /// It first waits until each ``hold()`` is released. Running creations of cached instances end first. Creations in
    /// tasks are cancelled. Then the `onDispose` hooks run one after the other, each on its actor, in reverse order of
    /// creation, across lifetimes and locators. Meanwhile, existing instances can be resolved, and no new instances are
    /// cached. Then each resolve throws ``InjectleError/locatorClosed``, and registrations are ignored. A closed
    /// locator does not open again, not even the default one; ``reset()`` empties a locator that stays in use. See
    /// <doc:StartAndClose>.
    ///
    /// Another call returns the same errors once the first one has ended, and a call on a descendant the errors of
    /// its instances. Cancelling the calling task does not end a close. A hook or a creation that the close waits for
    /// does not wait for it.
    ///
    /// - Parameter isolation: The actor of the caller.
    /// - Returns: An ``InjectleError/disposalFailed`` for each hook that threw, in the order in which they ran.
    /// - Complexity: O(*n* log *n*) in the number of registrations and instances here and below, and the cost of the
    ///   hooks.
    @discardableResult
    public func close(isolation: isolated (any Actor)? = #isolation) async -> [InjectleError] {
        await core.waitForHolds()
        return await EndingOperation.close(core)
    }
}

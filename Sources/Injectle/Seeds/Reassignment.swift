/// Allows a registration to replace the present one.
///
/// ```swift
/// locator.register(.eager(Settings(currency: "EUR")))
/// locator.register(.eager(Settings(currency: "CHF")), and: allowReassignment)
/// print(try locator.resolve(Settings.self).currency)  // Prints "CHF"
/// ```
///
/// Pass it as `and:`. It never throws, and registering without `and:` behaves the same.
///
/// - Parameters:
///   - locator: The locator of the registration.
///   - key: The key of the registration, or its ``Locator/Identity`` if it has none.
public func allowReassignment(in locator: Locator, forKey key: AnyHashable) {}

/// Throws if a registration would replace another one.
///
/// ```swift
/// locator.registerSingleton(Taxi(), forKey: "car")
/// do {
///     try locator.registerSingleton(DeLorean(), forKey: "car", and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     print("the key is taken")  // Prints "the key is taken"
/// }
/// ```
///
/// Pass it as `and:`, or call it from a check of your own. A key is taken whichever type it was registered with, since
/// a property can resolve by the key alone. Without a key, the type decides. A child may override its parent's
/// registrations.
///
/// - Parameters:
///   - locator: The locator of the registration.
///   - key: The key of the registration, or its ``Locator/Identity`` if it has none.
/// - Throws: ``InjectleError/forbiddenReassignment``.
/// - Complexity: O(1) on average without a key, O(*k* log *k*) where *k* registrations share the key.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    guard let entry = locator.isTaken(key) else { return }
    throw InjectleError.forbidden(entry.identity, in: locator.core, taken: entry)
}

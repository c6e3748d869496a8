/// Lets a registration replace what is registered under its key.
///
/// It is passed as `and:`, and agrees to everything.
///
/// ```swift
/// locator.register(.eager(Settings(currency: "EUR")))
/// locator.register(.eager(Settings(currency: "CHF")), and: allowReassignment)
/// print(try locator.resolve(Settings.self).currency)  // Prints "CHF"
/// ```
///
/// - Parameters:
///   - locator: The locator that is registered in.
///   - key: The key of the registration, or its ``ServiceKey``.
/// - Complexity: O(1)
public func allowReassignment(in locator: Locator, forKey key: AnyHashable) {}

/// Refuses to replace what is registered under a key.
///
/// It is passed as `and:`. A key counts as taken whichever type it was registered with, since a property may ask by the
/// key alone. Without a key, it is the type that counts.
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
/// It can be called from any thread, also by a check of yours.
///
/// - Parameters:
///   - locator: The locator that is registered in. What its parents have can be overridden.
///   - key: The key of the registration, or its ``ServiceKey``.
/// - Throws: ``InjectleError/forbiddenReassignment`` if something is registered there.
/// - Complexity: O(1) on average without a key, O(*k* log *k*) where *k* registrations share the key.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    guard let entry = locator.isTaken(key) else { return }
    throw InjectleError.forbidden(entry.identity, in: locator.core, taken: entry)
}

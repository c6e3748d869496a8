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
///   - key: The key of the registration, or the name of its type if it has none.
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
/// Pass it as `and:`, or call it from a check of your own. A key is taken whichever type it was registered with. Without
/// a key, the type decides: in a check, the type of the registration; elsewhere, each type of the name. A child may
/// override its parent's registrations.
///
/// - Parameters:
///   - locator: The locator of the registration.
///   - key: The key of the registration, or the name of its type if it has none.
/// - Throws: ``InjectleError/forbiddenReassignment``.
/// - Complexity: O(1) on average without a key, O(*k* log *k*) where *k* registrations share the key; outside a check,
///   O(*n*) in the number of registrations.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    let core = locator.core
    guard let taken = LocatorCore.found(core.entry(taking: key)) else { return }
    throw InjectleError.forbidden(taken.entry.identity, in: core, taken: taken)
}

extension Locator.Identity {
    /// The identity that a check is called for. The check receives the name of a type, which other types can have.
    @TaskLocal fileprivate static var checked: Locator.Identity?

    /// Calls a check with the key, or with the name of the type if there is none.
    func check<Refusal: Error>(_ check: (AnyHashable) throws(Refusal) -> Void) throws(Refusal) {
        let key = key ?? AnyHashable("\(type)")
        let result = Self.$checked.withValue(self) {
            Result { () throws(Refusal) in try check(key) }
        }
        try result.get()
    }
}

extension LocatorCore {
    /// The registration of this locator itself under a key, or of a type with that name.
    fileprivate func entry(taking key: AnyHashable) -> Entry? {
        let checked = Locator.Identity.checked
        let isKey = checked?.key == key
        if let checked, checked.key == nil, key == AnyHashable("\(checked.type)") {
            return registrations(exactly: checked).first
        }
        let entry = registrations(under: Locator.Key(key)).last { !$0.identity.isContribution }
        guard entry == nil, !isKey, let name = key.base as? String else { return entry }
        return registrations.last { entry in
            entry.identity.key == nil && !entry.identity.isContribution && "\(entry.identity.type)" == name
        }
    }
}

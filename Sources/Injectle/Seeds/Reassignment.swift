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
/// Pass it as `and:`, or call it from a check of your own. A key is taken whichever type it was registered with.
/// Without a key, the type decides: in a check, the type of the registration; elsewhere, each type of the name. A child
/// may override its parent's registrations.
///
/// - Parameters:
///   - locator: The locator of the registration.
///   - key: The key of the registration, or the name of its type if it has none.
/// - Throws: ``InjectleError/forbiddenReassignment``.
/// - Complexity: O(1) on average without a key, O(*k* log *k*) where *k* registrations share the key; outside a check,
///   O(*n*) in the number of registrations.
public func forbidReassignment(in locator: Locator, forKey key: AnyHashable) throws {
    let core = locator.core
    guard let taken = core.registration(taking: key) else { return }
    throw InjectleError.forbidden(taken.entry.identity, in: core, taken: taken)
}

extension LocatorCore {
    /// The registration of this locator itself under a key, or of a type with that name.
    fileprivate func registration(taking key: AnyHashable) -> Found? {
        let check = InsertionCheck.current
        let checked = check?.listing
        let isKey = checked?.identity.key == key
        if let check, let checked, checked.identity.keyed == nil, key == checked.identity.checkedKey {
            return registrations(concerning: check.record, at: checked).first
        }
        let all = registrations(under: Locator.Key.make(key)).filter { !$0.isContribution }
        // Of several identities of the latest registration, the one that it has listed last.
        let latest = all.last?.record.traits.listings.last { listing in all.contains { $0.listing == listing } }
        let found = all.last { $0.identity == latest?.identity } ?? all.last
        guard found == nil, !isKey, let name = key.base as? String else { return found }
        return registrations.last { found in
            let identity = found.entry.identity
            return identity.keyed == nil && !found.isContribution && "\(identity.type)" == name
        }
    }
}

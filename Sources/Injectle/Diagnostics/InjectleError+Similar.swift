// Similar services in the text of an error, and the fixes that follow from them.

extension InjectleError.Report {
    /// Adds the locators that a look-up searches.
    mutating func addSearched(_ core: LocatorCore, isOverride: Bool = false) {
        let titles = core.chain.map { $0.title + (isOverride && $0 === core ? ", the current override" : "") }
        add("searched", then: "and in", titles)
    }

    /// Adds that the code has no override, where it probably should: the default locator has no registration at all, or
    /// some for children.
    mutating func addUnbound(_ core: LocatorCore) {
        guard core.registrations.isEmpty || core.hasServicesOfChildren else { return }
        add("note", "no locator is bound here: a detached task and a thread do not inherit the one of `withChild`")
    }

    /// Adds the services that are similar to a missing one, and the fixes, the likeliest first.
    ///
    /// - Parameter override: The current override of the request.
    mutating func addSimilar(in core: LocatorCore, _ override: LocatorCore?, _ creators: InjectleError.Creators) {
        let registrations = similarRegistrations(in: core)
        let (sameType, conforming) = (registrations.sameType, registrations.conforming)
        let (elsewhere, child) = otherLocators(than: core, override)
        let similar =
            sameType.prefix(5).map { "\($0.title), registered in \($0.record.traits.location)" }
            + conforming.prefix(5).map {
                "\($0.title), which is of this type, registered in \($0.record.traits.location)"
            }
            + elsewhere.map { "registered in \($0.title)" }
            + (child.map { ["registered in \($0.title), a child"] } ?? [])
        add("similar", then: "similar", similar)
        addFixes(in: core, registrations, elsewhere.first, hasChild: child != nil, creators)
    }

    private struct Similar {
        var sameType: [Found] = []
        var conforming: [Found] = []
    }

    /// The registrations of the type under another key or none, and registrations of other types whose services have the type.
    private func similarRegistrations(in core: LocatorCore) -> Similar {
        var similar = Similar()
        for found in core.chain.flatMap(\.registrations) {
            if found.entry.identity.type == identity.type {
                similar.sameType.append(found)
            } else if found.record.isKnown(toBe: identity.type)
                ?? (found.entry.core.instance(of: found.record)?.cast(to: identity.type) != nil)
            {
                similar.conforming.append(found)
            }
        }
        return similar
    }

    /// The process-wide locators and the override that have the service, and a descendant that has it.
    private func otherLocators(than core: LocatorCore, _ override: LocatorCore?)
        -> (elsewhere: [LocatorCore], child: LocatorCore?)
    {
        // One child is enough, and many may not have it.
        let others =
            [override, Locator.default.core, Locator.test.core].compactMap(\.self) + core.descendants.prefix(100)
        var (elsewhere, child): ([LocatorCore], LocatorCore?) = ([], nil)
        for other in others where !(core.chain + elsewhere).contains(where: { $0 === other }) {
            let alone = identity.keyed.flatMap { other.find(underAlone: $0, as: identity.type, given: nil) }
            guard let found = other.find(identity).found ?? alone else { continue }
            if other.chain.contains(where: { $0 === core }) {
                child = child ?? found.entry.core
            } else {
                elsewhere.append(other)
            }
        }
        return (elsewhere, child)
    }

    private mutating func addFixes(
        in core: LocatorCore,
        _ similar: Similar,
        _ elsewhere: LocatorCore?,
        hasChild: Bool,
        _ creators: InjectleError.Creators
    ) {
        let registering = "\(core.expression).register(.lazy { … }, for: \(reference(identity)))"
        if let found = similar.conforming.first {
            fix("add `.as(\(reference(identity)))` to the registration in \(found.record.traits.location)")
        } else if hasChild, let creator = creators.shared {
            let lifetime = core.find(creator).found.map { " (\($0.record.traits.lifetime))" } ?? ""
            add("note", "\(creator)\(lifetime) resolves from its own locator, \(core.title), and not from a child")
            fix(registering, "create \(creator) once per child: `.lifetime(.perLocator)` or `.volatile`")
        } else if hasChild, creators.isProperty {
            fix("let that child create the object: by `@InjectedState` instead of `@State` in a view", registering)
        } else if let elsewhere {
            fix(registering, "make it a child, which inherits registrations: \(elsewhere.expression).child()")
        } else if let own = creators.own, similar.sameType.isEmpty {
            fix("resolve or start \(own), which is per locator, in a child that has \(identity)", registering)
        } else if let outermost = creators.outermost, similar.sameType.isEmpty, core.hasServicesOfChildren {
            // A value of a request that is registered in the root is shared by all requests.
            fix("resolve \(outermost) in a child that has \(identity)", "\(registering), if all children share it")
        } else {
            let keys = similar.sameType.prefix(5).map {
                $0.entry.identity.keyed.map { "with the key \($0)" } ?? "without a key"
            }
            let fixes = (keys.isEmpty ? [] : ["resolve \(keys.joined(separator: ", or "))"]) + [registering]
            add("fix", then: "or", fixes)
        }
    }
}

extension InjectleError {
    /// The services on the way to a request, which the fixes of its error name.
    struct Creators {
        /// The innermost one that the locator creates for all its children.
        var shared: Locator.Identity?
        /// The innermost one that each child creates for itself.
        var own: Locator.Identity?
        /// The outermost one that a child would create from its own dependencies.
        var outermost: Locator.Identity?
        /// Whether a property requests the service.
        var isProperty = false
    }
}

extension LocatorCore {
    /// Whether each child has its own instance of some service, as in a program with a locator for each request.
    fileprivate var hasServicesOfChildren: Bool {
        chain.flatMap(\.registrations).contains { $0.record.traits.lifetime.usesOtherLocators }
    }
}

/// A type as an expression.
func reference(_ type: Any.Type) -> String {
    let name = spelled(type)
    return name.hasPrefix("any ") ? "(\(name)).self" : "\(name).self"
}

/// A type and its key as arguments in source code.
func reference(_ identity: Locator.Identity) -> String {
    // A key whose type is known is a member of that type.
    if let key = identity.key?.base as? any AnyServiceKey { return ".\(key.name)" }
    return reference(identity.type) + (identity.keyed.map { ", key: \($0)" } ?? "")
}

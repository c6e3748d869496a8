// Similar services in the text of an error, and the fixes that follow from them.

extension InjectleError.Report {
    /// Adds the locators that a look-up searches.
    mutating func addSearched(_ core: LocatorCore, isOverride: Bool = false) {
        let titles = core.chain.map { $0.title + (isOverride && $0 === core ? ", the current override" : "") }
        add("searched", then: "and in", titles)
    }

    /// Adds the services that are similar to a missing one, and the fixes, the likeliest first.
    ///
    /// - Parameters:
    ///   - override: The current override of the request.
    ///   - creator: The service that requests it, if the locator creates that for all its children.
    ///   - own: The service that requests it, if each child creates its own instance.
    mutating func addSimilar(
        in core: LocatorCore,
        _ override: LocatorCore?,
        createdFor creator: Locator.Identity?,
        orOwn own: Locator.Identity?
    ) {
        let (sameType, conforming) = similarRegistrations(in: core)
        let (elsewhere, child) = otherLocators(than: core, override)
        let similar =
            sameType.prefix(5).map { "\($0.entry.identity), registered in \($0.record.traits.location)" }
            + conforming.prefix(5).map {
                "\($0.entry.identity), which is of this type, registered in \($0.record.traits.location)"
            }
            + elsewhere.map { "registered in \($0.title)" }
            + (child.map { ["registered in \($0.title), a child"] } ?? [])
        add("similar", then: "similar", similar)
        addFixes(in: core, (sameType, conforming), elsewhere.first, hasChild: child != nil, creator, own)
    }

    private typealias Similar = (sameType: [LocatorCore.Found], conforming: [LocatorCore.Found])

    /// The registrations of the type under another key or none, and registrations of other types whose services have the type.
    private func similarRegistrations(in core: LocatorCore) -> Similar {
        var similar: Similar = ([], [])
        for entry in core.chain.flatMap(\.registrations) {
            guard let found = LocatorCore.found(entry) else { continue }
            if entry.identity.type == identity.type {
                similar.sameType.append(found)
            } else if found.record.isKnown(toBe: identity.type)
                ?? (entry.core.instance(of: found.record)?.cast(to: identity.type) != nil)
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
            guard let found = other.find(identity) else { continue }
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
        _ creator: Locator.Identity?,
        _ own: Locator.Identity?
    ) {
        let registering = "\(core.expression).register(.lazy { … }, for: \(reference(identity)))"
        if let found = similar.conforming.first {
            fix("add `.as(\(reference(identity)))` to the registration in \(found.record.traits.location)")
        } else if hasChild, let creator {
            let lifetime = core.find(creator).map { " (\($0.record.traits.lifetime))" } ?? ""
            add("note", "\(creator)\(lifetime) resolves from its own locator, \(core.title), and not from a child")
            fix(registering, "create \(creator) once per child: `.lifetime(.perLocator)` or `.volatile`")
        } else if let elsewhere {
            fix(registering, "make it a child, which inherits registrations: \(elsewhere.expression).child()")
        } else if let own, similar.sameType.isEmpty {
            fix("resolve or start \(own), which is per locator, in a child that has \(identity)", registering)
        } else {
            let keys = similar.sameType.prefix(5).map {
                $0.entry.identity.keyed.map { "with the key \($0)" } ?? "without a key"
            }
            let fixes = (keys.isEmpty ? [] : ["resolve \(keys.joined(separator: ", or "))"]) + [registering]
            add("fix", then: "or", fixes)
        }
    }
}

/// A type as an expression.
func reference(_ type: Any.Type) -> String {
    let name = spelled(type)
    let isComposed = name.hasPrefix("any ") || name.contains(" -> ") && !name.hasSuffix(">")
    return isComposed ? "(\(name)).self" : "\(name).self"
}

/// A type and its key as arguments in source code.
func reference(_ identity: Locator.Identity) -> String {
    guard let key = identity.key else { return reference(identity.type) }
    // A key whose type is known is a member of that type.
    if let key = key.base as? any AnyServiceKey { return ".\(key.name)" }
    return "\(reference(identity.type)), key: \(literal(key.base) ?? "…")"
}

private func isCaseWithoutValues(_ value: Any) -> Bool {
    let mirror = Mirror(reflecting: value)
    return mirror.displayStyle == .enum && mirror.children.isEmpty
}

/// A key as source code. Nil if its text is long, or does not create it.
private func literal(_ key: Any) -> String? {
    switch key {
    case let text as String: text.count > 32 ? nil : text.debugDescription
    case let number as any FixedWidthInteger: number is Int ? "\(number)" : "\(type(of: number))(\(number))"
    case let truth as Bool: "\(truth)"
    case is any CustomStringConvertible, is any CustomDebugStringConvertible: nil
    default: isCaseWithoutValues(key) ? "\(spelled(type(of: key))).\(key)" : nil
    }
}

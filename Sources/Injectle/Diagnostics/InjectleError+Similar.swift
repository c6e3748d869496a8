// Similar services in the text of an error, and the fixes that follow from them.

extension InjectleError.Report {
    /// Adds the locators that a look-up searches.
    mutating func addSearched(_ core: LocatorCore, isBound: Bool = false) {
        let titles = core.chain.map { $0.title + (isBound && $0 === core ? ", bound in a task" : "") }
        add("searched", then: "and in", titles)
    }

    /// Adds the services that are similar to a missing one, and the fixes, the likeliest first.
    ///
    /// - Parameters:
    ///   - bound: The locator that is bound in the task of the request.
    ///   - isUnbound: Whether no locator is bound in that task, in a process that binds locators.
    mutating func addSimilar(
        in core: LocatorCore,
        _ bound: LocatorCore?,
        _ creators: InjectleError.Creators,
        isUnbound: Bool = false
    ) {
        let similar = similarRegistrations(in: core)
        let others = otherLocators(than: core, bound)
        addSimilar(similar, others)
        let isOfChildren = others.child != nil || core.isServiceOfChildren(identity)
        // A child is open that could have created the property's owner.
        let isOfView = creators.kind == .property && creators.shared == nil && others.child != nil
        var creators = creators
        creators.child = creators.child ?? others.child?.name
        if isOfView { addChildFixes(in: core, creators) }
        if let foreign = creators.foreign {
            let creator = foreign.creator.title
            add("note", "the closure of \(foreign.service) resolves from \(core.title), and not from \(creator)")
            fix("resolve from the locator that the closure receives: `{ locator in … try locator.resolve() … }`")
        }
        // Where a singleton resolves, or a similar key is registered, a bound locator would change nothing.
        let isUnbound =
            isUnbound && creators.shared == nil && creators.foreign == nil && similar.sameType.isEmpty
            && (isOfChildren || core.registrations.isEmpty)
        if isUnbound { addBindingFixes() }
        let conforming = similar.conforming.first.map { found in
            "add `.as(\(reference(identity)))` to the registration in \(found.record.traits.location)"
        }
        if let conforming, similar.sameType.isEmpty {
            fix(conforming)
        } else if isOfChildren, !isOfView {
            addChildFixes(in: core, creators)
        } else if creators.kind == .decorator {
            fix("register the service before the call of `decorate`: \(registering(in: core.expression))")
        } else if !isOfChildren {
            if let function = similar.functions.first { fix("resolve \(reference(function.entry.identity))") }
            addFixes(in: core, similar.sameType, others.elsewhere.first, creators, isFirst: !isUnbound)
            if let conforming { fix(conforming) }
        }
    }

    private mutating func addSimilar(_ similar: Similar, _ others: Others) {
        func texts(_ found: [Found], _ note: String = "") -> [String] {
            found.prefix(5).map { "\($0.title)\(note), registered in \($0.record.traits.location)" }
        }
        let elsewhere = others.elsewhere.map { "registered in \($0.title)" }
        let child = others.child.map { ["registered in \($0.title), a child"] } ?? []
        let all =
            texts(similar.sameType) + texts(similar.conforming, ", which is of this type")
            + texts(similar.functions, ", another type at run time") + elsewhere + child
        add("similar", then: "similar", all)
    }

    private mutating func addBindingFixes() {
        add("note", "no locator is bound in this task: a detached task, a thread or a queue inherits none")
        fix(
            "take `let hold = Locator.shared.hold()` before the task begins, and `try await hold.run { locator in … }` in it",
            "bind it there: `Locator.$shared.withValue(locator) { … }`; or capture the locator and resolve from it"
        )
    }

    /// Registrations that are like a missing one.
    private struct Similar {
        /// The type under another key or none.
        var sameType: [Found] = []
        /// Other types, whose services have the type.
        var conforming: [Found] = []
        /// Functions that differ in `@Sendable`, which the runtime does not convert.
        var functions: [Found] = []
    }

    /// Other locators that have a missing service.
    private struct Others {
        /// The locators of the process, and the one that is bound.
        var elsewhere: [LocatorCore] = []
        /// A descendant.
        var child: LocatorCore?
    }

    private func similarRegistrations(in core: LocatorCore) -> Similar {
        var similar = Similar()
        for found in core.chain.flatMap(\.registrations) {
            // A decorator without a service is what misses it.
            if case .inherited? = found.record.decorated { continue }
            if found.entry.identity.type == identity.type {
                similar.sameType.append(found)
            } else if found.record.isKnown(toBe: identity.type)
                ?? (found.entry.core.instance(of: found.record)?.cast(to: identity.type) != nil)
            {
                similar.conforming.append(found)
            } else if isSameFunction(found.entry.identity.type, identity.type) {
                similar.functions.append(found)
            }
        }
        return similar
    }

    private func otherLocators(than core: LocatorCore, _ bound: LocatorCore?) -> Others {
        // One child is enough, and many may not have it.
        let candidates =
            [bound, Locator.default.core, Locator.test.core].compactMap(\.self) + core.descendants.prefix(100)
        var others = Others()
        for other in candidates where !(core.chain + others.elsewhere).contains(where: { $0 === other }) {
            let alone = identity.keyed.flatMap { other.findByKeyAlone($0, as: identity.type, given: nil) }
            guard let found = other.find(identity).found ?? alone else { continue }
            if other.chain.contains(where: { $0 === core }) {
                others.child = others.child ?? found.entry.core
            } else {
                others.elsewhere.append(other)
            }
        }
        return others
    }

    private func registering(in locator: String) -> String {
        "\(locator).register(.lazy { … }, for: \(reference(identity)))"
    }

    /// Adds the fixes of a service that children have. Registered in the root, all requests would share one.
    private mutating func addChildFixes(
        in core: LocatorCore,
        _ creators: InjectleError.Creators
    ) {
        if let creator = creators.shared {
            let lifetime = core.find(creator).found.map { " (\($0.record.traits.lifetime))" } ?? ""
            add("note", "\(creator)\(lifetime) resolves from its own locator, \(core.title), and not from a child")
            let name = creators.child.map { "(named: \"\($0)\")" } ?? ""
            let child = creators.child.map { "\"\($0)\"" } ?? "child"
            fix(
                "create \(creator) once per \(child): `.lifetime(.perLocator\(name))`; "
                    + "or for each request: `.lifetime(.volatile)`"
            )
        } else if let bound = creators.bound {
            addBoundChild(bound, lifetime: "`.lifetime(.perLocator)` or `.lifetime(.volatile)`")
        } else if creators.kind == .property {
            fix("resolve the object from that child, in a view by `@InjectedState` instead of `@State`")
        } else if let own = creators.own {
            fix("resolve or start \(own), which is per locator, in a child that has \(identity)")
        } else {
            fix("resolve from a child that has \(identity), and register it there: \(registering(in: "child"))")
        }
    }

    /// Adds the fixes of a request to an ancestor of the bound locator, which has the service: properties, `Lazy` and
    /// `Provider` make such requests for the services of the ancestor.
    mutating func addBoundChild(_ title: String, lifetime: String) {
        add("note", "`Locator.shared` is \(title) here, which the request does not search")
        fix(
            "resolve from it where the service is used: `try Locator.shared.resolve(\(reference(identity)))`",
            "create the owner of the property, `Lazy` or `Provider` once per child: \(lifetime)"
        )
    }

    private mutating func addFixes(
        in core: LocatorCore,
        _ sameType: [Found],
        _ elsewhere: LocatorCore?,
        _ creators: InjectleError.Creators,
        isFirst: Bool
    ) {
        let registering = registering(in: core.expression)
        // The locator of a task without a bound one is not the one to register in.
        var fixes = isFirst ? [registering] : []
        if let elsewhere {
            fixes.append("make it a child, which inherits registrations: \(elsewhere.expression).child()")
        } else if let own = creators.own, sameType.isEmpty {
            fixes.insert("resolve or start \(own), which is per locator, in a child that has \(identity)", at: 0)
        } else if let outermost = creators.outermost, sameType.isEmpty, core.parent == nil, core.hasServicesOfChildren {
            // A value of a request that is registered in the root is shared by all requests.
            fixes = [
                "resolve \(outermost) in a child that has \(identity)", "\(registering), if all children share it",
            ]
        } else if !sameType.isEmpty {
            let keys = sameType.prefix(5).map { found in
                let present = found.entry.identity
                let arguments = found.record.traits.declared.map { ": `\(call(of: present, passing: $0))`" } ?? ""
                return present.keyed.map { "with the key \($0)" } ?? "without a key\(arguments)"
            }
            // The compiler knows the name of a typed key, so that this is no misspelled one.
            let isTyped = identity.keyed?.declaration != nil
            fixes.insert("resolve \(keys.joined(separator: ", or "))", at: isTyped ? fixes.count : 0)
        }
        fix(fixes)
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
        /// The name of the child that has the service.
        var child: String?
        /// What requests the service.
        var kind = Request.Origin.Kind.call
        /// The one whose closure requests it from another locator than the one that creates the service.
        var foreign: ForeignCreation?
        /// The title of the locator that is bound in the task, if that is a descendant and has the service.
        var bound: String?
    }

    /// A creation whose closure requests a service from a locator that the creating one does not inherit from.
    struct ForeignCreation {
        let service: Locator.Identity
        let creator: LocatorCore
    }
}

extension LocatorCore {
    /// The locator that is bound in the task, if it is a descendant of another and fulfills a condition.
    static func boundDescendant(of core: LocatorCore, where fits: (LocatorCore) -> Bool) -> LocatorCore? {
        guard let bound = boundCore, bound !== core, bound.chain.contains(where: { $0 === core }), fits(bound) else {
            return nil
        }
        return bound
    }

    /// Whether each child has its own instance of some service, as in a program with a locator for each request.
    fileprivate var hasServicesOfChildren: Bool {
        chain.flatMap(\.registrations).contains { $0.record.traits.lifetime.usesOtherLocators }
    }
}

/// Whether two types are functions that only `@Sendable` distinguishes.
private func isSameFunction(_ type: Any.Type, _ other: Any.Type) -> Bool {
    let name = spelled(type)
    let otherName = spelled(other)
    guard name.contains(" -> "), name.contains("@Sendable ") || otherName.contains("@Sendable ") else { return false }
    return name.replacing("@Sendable ", with: "") == otherName.replacing("@Sendable ", with: "")
}

/// A type as an expression.
func reference(_ type: Any.Type) -> String {
    let name = spelled(type)
    let isComposed = name.hasPrefix("any ") || name.contains(" -> ") && !name.hasSuffix(">")
    return isComposed ? "(\(name)).self" : "\(name).self"
}

/// A type and its key as arguments in source code.
func reference(_ identity: Locator.Identity) -> String {
    guard let key = identity.keyed else { return reference(identity.type) }
    // A key whose type is known is a member of that type.
    if let declaration = key.declaration { return ".\(declaration.name)" }
    return "\(reference(identity.type)), key: \(literal(key.value.base) ?? "…")"
}

/// A request that passes arguments of some types, as source code with their types in place of them.
func call(of identity: Locator.Identity, passing types: [Any.Type]) -> String {
    "resolve(\(reference(identity)), arguments: \(types.map { "<\(spelled($0))>" }.joined(separator: ", ")))"
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

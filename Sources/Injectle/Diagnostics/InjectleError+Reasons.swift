// One function for each way to fail, which gathers what its text says.

extension InjectleError {
    /// Nothing is registered under what was asked for.
    static func missing(_ request: Request, in core: Core) -> InjectleError {
        let identity = ServiceKey(type: unwrapped(request.identity.type), qualifier: request.identity.qualifier)
        let isOverride = request.isOverride ?? (Ambient.override?.core === core)
        var report = Report("No service is registered as \(identity).", askedBy: request)
        for (index, searched) in core.chain.enumerated() {
            let remark = index == 0 && isOverride ? ", the override in force" : ""
            let ended = searched.hasEnded ? ", which nobody refers to any more" : ""
            report.add(index == 0 ? "looked in" : "and in", searched.title + remark + ended)
        }
        let neighbours = Neighbours(of: identity, lookingIn: core)
        for fact in neighbours.facts { report.add("close", fact) }
        for (index, remedy) in neighbours.remedies.enumerated() { report.add(index == 0 ? "mend" : "or", remedy) }
        return InjectleError(missing, identity, report)
    }

    /// A service is not of a type it was registered as, or found by its key for another one.
    static func wrongType(_ record: Record, asked identity: ServiceKey, _ request: Request? = nil) -> InjectleError {
        let service = spelled(record.serviceType)
        var report = Report("What is registered for \(identity) is not of that type, but \(service).", askedBy: request)
        let identities = record.identities.map(\.description).joined(separator: ", ")
        report.add("registered", "in \(record.site), as \(identities)")
        if record.identities.contains(identity) {
            report.add("mend", "let \(service) be one, or take `.as(\(reference(identity.type)))` away")
        } else {
            let types = record.identities.map { reference($0.type) }.joined(separator: " or ")
            report.add("mend", "ask for \(types), or use another key")
        }
        return InjectleError(wrongType, identity, report)
    }

    /// Something is registered that is not to be replaced.
    static func forbidden(_ identity: ServiceKey, in core: Core, taken slot: Slot) -> InjectleError {
        var report = Report("\(identity) is registered in \(core.title) already, and was not to be replaced.")
        let remark = slot.record.isFinal ? ", final" : ""
        report.add("registered", "in \(slot.record.site), as \(slot.identity), \(slot.record.lifetime)\(remark)")
        let type = reference(slot.identity.type)
        let removal = slot.identity.label.map { "unregister(\(type), key: \($0))" } ?? "unregisterService(\(type))"
        let alternative = slot.record.isFinal ? "" : ", or pass `and: allowReassignment`"
        report.add("mend", "\(core.expression).\(removal)\(alternative)")
        return InjectleError(forbiddenReassignment, identity, report)
    }

    /// A service is asked for while it is being made for the same asker.
    static func cycle(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report("\(slot.identity) needs itself.", askedBy: request, needing: slot.identity)
        report.add("mend", laterRemedy)
        return InjectleError(cycle, slot.identity, report)
    }

    /// Waiting for who makes a service would never end.
    static func deadlock(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report(
            "\(slot.identity) is being made on another thread, which waits for what this thread makes.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("mend", laterRemedy)
        return InjectleError(deadlock, slot.identity, report)
    }

    /// A making is deeper than any that ends.
    static func tooDeep(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report(
            "\(slot.identity) is needed at the end of \(Frame.path.count) services, each for the sake of the next.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("mend", "look for a factory that asks for ever new keys of its own type")
        return InjectleError(tooDeep, slot.identity, report)
    }

    /// A service belongs to an actor that the asker is not on.
    static func isolation(_ request: Request, _ slot: Slot, waited: Duration?) -> InjectleError {
        let home = slot.record.place
        var reason = waited.map { "which did not begin within \($0)" } ?? "and was asked for from elsewhere"
        if case .actor(let home) = home, home.actor == nil { reason = "which has gone" }
        var report = Report(
            "\(slot.identity) is made on \(home.name), \(reason).",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site)")
        if waited != nil { report.add("note", "the main thread is busy or blocked, perhaps waiting for this thread") }
        let lifetime = slot.record.lifetime
        let form =
            switch lifetime.kind {
            case .factory: "with `isolation: nil`"
            case .lazy, .volatile: "by `.\(lifetime)(.anywhere) { … }`"
            default: "by `.lifetime(…, .anywhere) { … }`"
            }
        report.add("mend", "let `resolveAsync` go to \(home.name), or make it there first, as by `.atStart()`")
        report.add("or", "register it \(form) if any thread may make it")
        return InjectleError(wrongIsolation, slot.identity, report)
    }

    /// There are only registrations that declare arguments, and others than are given.
    static func wrongArguments(_ request: Request, _ slots: [Slot], in core: Core) -> InjectleError {
        let given = request.arguments.map { "with (\($0.types.map(spelled).joined(separator: ", ")))" }
        var report = Report(
            "\(request.identity) was asked for \(given ?? "without arguments"), and is registered for others.",
            askedBy: request
        )
        for slot in slots.prefix(5) { report.add("registered", "in \(slot.record.site), as \(slot.identity)") }
        let wanted = slots.first?.record.declared?.map { "<\(spelled($0))>" }.joined(separator: ", ") ?? ""
        let key = request.identity.label.map { ", key: \($0)" } ?? ""
        report.add("mend", "resolve(\(reference(request.identity.type))\(key), arguments: \(wanted))")
        return InjectleError(wrongArguments, request.identity, report)
    }

    /// An argument cannot tell instances apart.
    static func unhashable(_ request: Request, _ slot: Slot, _ type: Any.Type) -> InjectleError {
        var report = Report(
            "\(slot.identity) is kept per argument, and \(spelled(type)) is not Hashable.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site)")
        report.add("mend", "make it Hashable, or pass something of it that is, like an identifier")
        return InjectleError(wrongArguments, slot.identity, report)
    }

    /// What is to be kept by a note only cannot be.
    static func notAnObject(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report(
            "\(slot.identity) is no object, so others cannot hold it for a locator that does not.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site), \(slot.record.lifetime)")
        let form = slot.record.kind == .unowned ? ".eager(…)" : ".lazy { … }"
        report.add("mend", "register it by `\(form)`, or make \(spelled(slot.record.serviceType)) a class")
        return InjectleError(notAnObject, slot.identity, report)
    }

    /// An unowned object is no longer there.
    private static func released(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report(
            "\(slot.identity) was registered unowned, and its owner has let go of it.",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site)")
        report.add("mend", "keep the object for as long as it is asked for, or register it by `.eager(…)`")
        return InjectleError(released, slot.identity, report)
    }

    /// Nobody has the name of who is to keep it.
    static func noSuchLocator(_ request: Request, _ slot: Slot, named name: String, from core: Core) -> InjectleError {
        var report = Report(
            "\(slot.identity) is kept by a locator named \"\(name)\", and none is.",
            askedBy: request,
            needing: slot.identity
        )
        for (index, searched) in core.chain.enumerated() {
            report.add(index == 0 ? "looked in" : "and in", searched.title)
        }
        report.add("registered", "in \(slot.record.site)")
        report.add("mend", "\(core.expression).child(\"\(name)\"), and ask that or a child of it")
        return InjectleError(noSuchLocator, slot.identity, report)
    }

    /// There is nothing to make another instance by.
    static func notResettable(_ request: Request, _ slot: Slot) -> InjectleError {
        let isGiven = slot.record.kind == .eager || slot.record.kind == .unowned
        let reason = isGiven ? "is given, not made" : "lets go of its closure once that has run"
        var report = Report("\(slot.identity) \(reason), so that no other instance can be made.", askedBy: request)
        report.add("registered", "in \(slot.record.site), \(slot.record.lifetime)")
        report.add("mend", isGiven ? "register another instance" : "add `.resettable()` to the registration")
        return InjectleError(notResettable, slot.identity, report)
    }

    /// What user code that was run to make a service threw: wrapped, unless it is an error of this kind already.
    static func making(_ slot: Slot, threw error: any Error, askedBy request: Request) -> InjectleError {
        if let error = error as? InjectleError { return error }
        if error is CancellationError { return cancelled(request, slot) }
        if let reason = error as? NotMade {
            return switch reason {
            case .notAnObject: notAnObject(request, slot)
            case .released: released(request, slot)
            case .actorHasGone: isolation(request, slot, waited: nil)
            }
        }
        return factoryFailed(request, slot, error)
    }

    /// A closure threw.
    private static func factoryFailed(_ request: Request, _ slot: Slot, _ error: any Error) -> InjectleError {
        var report = Report(
            "\(slot.identity) could not be made: \(error)",
            askedBy: request,
            needing: slot.identity
        )
        report.add("registered", "in \(slot.record.site), \(slot.record.lifetime)")
        report.add("note", "nothing was kept, so the next resolve tries again")
        return InjectleError(factoryFailed, slot.identity, report, underlying: error)
    }

    /// A closure ended because its task was cancelled, or whoever awaited the service was.
    static func cancelled(_ request: Request, _ slot: Slot?) -> InjectleError {
        let identity = slot?.identity ?? request.identity
        let report = Report("The making of \(identity) was cancelled.", askedBy: request, needing: identity)
        return InjectleError(cancelled, identity, report, underlying: CancellationError())
    }

    /// The last handle of a locator is gone, or it is closed.
    static func ended(_ request: Request, _ core: Core) -> InjectleError {
        let reason =
            switch (core.isClosing, core.hasEnded) {
            case (false, _): "which nobody refers to any more"
            case (true, false): "which is being closed, and makes nothing new that it would keep"
            case (true, true): "which is closed"
            }
        var report = Report("\(request.identity) was asked of \(core.title), \(reason).", askedBy: request)
        if core.isClosing {
            report.add("mend", "ask before \(core.expression).close(), or let a disposer use what its service has")
        } else {
            report.add("mend", "keep the locator for as long as what it made is used")
        }
        return InjectleError(core.isClosing ? locatorClosed : locatorEnded, request.identity, report)
    }

    private static let laterRemedy =
        "let one of them ask later: a property marked `@Inject` is resolved when it is read, not when its owner is made"
}

/// What comes close to a service that is missing.
private struct Neighbours {
    private let identity: ServiceKey
    private let core: Core
    /// Registrations of the same type under another key or none.
    private var sameType: [Slot] = []
    /// Registrations of another type, whose instance is there and is of the type that was asked for.
    private var conforming: [Slot] = []
    /// Other locators that have it.
    private var elsewhere: [Core] = []
    /// A child that has it.
    private var child: Core?

    init(of identity: ServiceKey, lookingIn core: Core) {
        self.identity = identity
        self.core = core
        for slot in core.chain.flatMap(\.ownSlots) {
            if slot.identity.type == identity.type {
                sameType.append(slot)
            } else if let made = slot.core.instance(of: slot.record), made.cast(to: identity.type) != nil {
                conforming.append(slot)
            }
        }
        // To look into the test locator is to make it, which costs no more than a word once a program can have
        // overrides.
        for other in [Locator.default.core, Locator.test.core, Ambient.override?.core].compactMap(\.self) {
            let isSearched = (core.chain.map(\.self) + elsewhere).contains { $0 === other }
            if !isSearched, other.find(identity) != nil { elsewhere.append(other) }
        }
        // One is enough, and there may be many that do not have it.
        let children = core.children(atMost: 100).filter { child in !elsewhere.contains { $0 === child } }
        child = children.first { $0.find(identity)?.core === $0 }
    }

    var facts: [String] {
        sameType.prefix(5).map { "\($0.identity), registered in \($0.record.site)" }
            + conforming.prefix(5).map { "\($0.identity), which is one, registered in \($0.record.site)" }
            + elsewhere.map { "\($0.title) has it" }
            + (child.map { ["\($0.title), which is a child, has it"] } ?? [])
    }

    /// What mends it, the likeliest first.
    var remedies: [String] {
        let type = reference(identity.type)
        let key = identity.label.map { ", key: \($0)" } ?? ""
        let registering = "\(core.expression).register(.lazy { … }, for: \(type)\(key))"
        if let slot = conforming.first {
            return ["add `.as(\(type)\(key))` to the registration in \(slot.record.site)"]
        }
        if let other = elsewhere.first {
            return [registering, "make it a child, which finds what its parent has: \(other.expression).child()"]
        }
        if child != nil, let shared = Frame.shared(by: core) {
            let maker = ServiceKey(type: shared.type, qualifier: shared.label)
            return [registering, "let each child have its \(maker): `.lifetime(.perLocator)`, or `.volatile`"]
        }
        let keys = sameType.prefix(5).map { $0.identity.label.map { "with the key \($0)" } ?? "without a key" }
        return (keys.isEmpty ? [] : ["ask \(keys.joined(separator: ", or "))"]) + [registering]
    }
}

/// A type as an expression.
func reference(_ type: Any.Type) -> String {
    let name = spelled(type)
    return name.hasPrefix("any ") ? "(\(name)).self" : "\(name).self"
}

/// The text of an error: one sentence, and a list of facts.
struct Report: CustomStringConvertible {
    private let sentence: String
    private var facts: [(name: String, text: String)] = []
    /// What was being made when it was written.
    let path: [ServiceKey]

    /// - Parameters:
    ///   - needed: What was about to be made, or just was, at the end of the path; if left out, what the request asks
    ///     for.
    init(_ sentence: String, askedBy request: Request? = nil, needing needed: ServiceKey? = nil) {
        self.sentence = sentence
        path = Frame.path
        guard let request else { return }
        add("asked by", "\(request.asker) in \(request.site)")
        guard !path.isEmpty else { return }
        // A long path is a repetition: its end is what counts.
        let names = path.suffix(12).map(\.description) + [(needed ?? request.identity).description]
        add("path", (path.count > 12 ? "… → " : "") + names.joined(separator: " → "))
    }

    mutating func add(_ name: String, _ text: String) {
        facts.append((name, text))
    }

    var description: String {
        let width = facts.map(\.name.count).max() ?? 0
        return facts.reduce(into: sentence) { text, fact in
            text += "\n  \(fact.name)\(String(repeating: " ", count: width - fact.name.count))  \(fact.text)"
        }
    }
}

// One function for each way to fail, which gathers what its text says.

extension InjectleError {
    /// Nothing is registered under what was asked for.
    static func missing(_ request: ResolveRequest, in core: LocatorCore) -> InjectleError {
        let identity = ServiceKey(type: unwrapped(request.identity.type), keyPart: request.identity.keyPart)
        let isOverride = request.isOverride ?? (CurrentLocator.override?.core === core)
        var report = Report("No service is registered as \(identity).", requestedBy: request)
        for (index, searched) in core.chain.enumerated() {
            let remark = index == 0 && isOverride ? ", the override in force" : ""
            let ended = searched.isTerminated ? ", which nobody refers to any more" : ""
            report.add(index == 0 ? "searched" : "and in", searched.title + remark + ended)
        }
        let neighbours = Neighbours(of: identity, lookingIn: core)
        for fact in neighbours.facts { report.add("similar", fact) }
        for (index, remedy) in neighbours.remedies.enumerated() { report.add(index == 0 ? "fix" : "or", remedy) }
        return InjectleError(missing, identity, report)
    }

    /// A service is not of a type it was registered as, or found by its key for another one.
    static func wrongType(_ record: RegistrationRecord, origin identity: ServiceKey, _ request: ResolveRequest? = nil)
        -> InjectleError
    {
        let service = spelled(record.serviceType)
        var report = Report(
            "What is registered for \(identity) is not of that type, but \(service).",
            requestedBy: request
        )
        let identities = record.identities.map(\.description).joined(separator: ", ")
        report.add("registered", "in \(record.location), as \(identities)")
        if record.identities.contains(identity) {
            report.add("fix", "let \(service) be one, or take `.as(\(reference(identity.type)))` away")
        } else {
            let types = record.identities.map { reference($0.type) }.joined(separator: " or ")
            report.add("fix", "ask for \(types), or use another key")
        }
        return InjectleError(wrongType, identity, report)
    }

    /// Something is registered that is not to be replaced.
    static func forbidden(_ identity: ServiceKey, in core: LocatorCore, taken entry: Entry) -> InjectleError {
        var report = Report("\(identity) is registered in \(core.title) already, and was not to be replaced.")
        let remark = entry.record.isFinal ? ", final" : ""
        report.add("registered", "in \(entry.record.location), as \(entry.identity), \(entry.record.lifetime)\(remark)")
        let type = reference(entry.identity.type)
        let removal = entry.identity.userKey.map { "unregister(\(type), key: \($0))" } ?? "unregisterService(\(type))"
        let alternative = entry.record.isFinal ? "" : ", or pass `and: allowReassignment`"
        report.add("fix", "\(core.expression).\(removal)\(alternative)")
        return InjectleError(forbiddenReassignment, identity, report)
    }

    /// A service is asked for while it is being made for the same asker.
    static func cycle(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        var report = Report("\(entry.identity) needs itself.", requestedBy: request, needing: entry.identity)
        report.add("fix", laterRemedy)
        return InjectleError(cycle, entry.identity, report)
    }

    /// Waiting for who makes a service would never end.
    static func deadlock(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        var report = Report(
            "\(entry.identity) is being made on another thread, which waits for what this thread makes.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("fix", laterRemedy)
        return InjectleError(deadlock, entry.identity, report)
    }

    /// A creation is deeper than any that ends.
    static func tooDeep(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        var report = Report(
            "\(entry.identity) is needed at the end of \(Frame.path.count) services, each for the sake of the next.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("fix", "look for a factory that asks for ever new keys of its own type")
        return InjectleError(tooDeep, entry.identity, report)
    }

    /// A service belongs to an actor that the asker is not on.
    static func isolation(_ request: ResolveRequest, _ entry: Entry, waited: Duration?) -> InjectleError {
        let boundLocator = entry.record.isolation
        var reason = waited.map { "which did not begin within \($0)" } ?? "and was asked for from elsewhere"
        if case .actor(let boundLocator) = boundLocator, boundLocator.actor == nil { reason = "which has gone" }
        var report = Report(
            "\(entry.identity) is made on \(boundLocator.name), \(reason).",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location)")
        if waited != nil { report.add("note", "the main thread is busy or blocked, perhaps waiting for this thread") }
        report.add("fix", "let `resolveAsync` go to \(boundLocator.name), or make it there first, as by `.atStart()`")
        report.add("or", "register it \(entry.record.anywhereForm) if any thread may make it")
        return InjectleError(wrongIsolation, entry.identity, report)
    }

    /// There are only registrations that declare arguments, and others than are given.
    static func wrongArguments(_ request: ResolveRequest, _ entries: [Entry], in core: LocatorCore) -> InjectleError {
        let given = request.arguments.map { "with (\($0.types.map(spelled).joined(separator: ", ")))" }
        var report = Report(
            "\(request.identity) was asked for \(given ?? "without arguments"), and is registered for others.",
            requestedBy: request
        )
        for entry in entries.prefix(5) { report.add("registered", "in \(entry.record.location), as \(entry.identity)") }
        let wanted = entries.first?.record.declared?.map { "<\(spelled($0))>" }.joined(separator: ", ") ?? ""
        let key = request.identity.userKey.map { ", key: \($0)" } ?? ""
        report.add("fix", "resolve(\(reference(request.identity.type))\(key), arguments: \(wanted))")
        return InjectleError(wrongArguments, request.identity, report)
    }

    /// An argument cannot tell instances apart.
    static func unhashable(_ request: ResolveRequest, _ entry: Entry, _ type: Any.Type) -> InjectleError {
        var report = Report(
            "\(entry.identity) is kept per argument, and \(spelled(type)) is not Hashable.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location)")
        report.add("fix", "make it Hashable, or pass something of it that is, like an identifier")
        return InjectleError(wrongArguments, entry.identity, report)
    }

    /// What is to be kept by a note only cannot be.
    static func notAnObject(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        var report = Report(
            "\(entry.identity) is no object, so others cannot hold it for a locator that does not.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location), \(entry.record.lifetime)")
        let form = entry.record.isInstanceGiven ? ".eager(…)" : ".lazy { … }"
        report.add("fix", "register it by `\(form)`, or make \(spelled(entry.record.serviceType)) a class")
        return InjectleError(notAnObject, entry.identity, report)
    }

    /// An unowned object is no longer there.
    private static func released(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        var report = Report(
            "\(entry.identity) was registered unowned, and its owner has let go of it.",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location)")
        report.add("fix", "keep the object for as long as it is asked for, or register it by `.eager(…)`")
        return InjectleError(instanceReleased, entry.identity, report)
    }

    /// Nobody has the name of who is to keep it.
    static func locatorNotFound(_ request: ResolveRequest, _ entry: Entry, named name: String, from core: LocatorCore)
        -> InjectleError
    {
        var report = Report(
            "\(entry.identity) is kept by a locator named \"\(name)\", and none is.",
            requestedBy: request,
            needing: entry.identity
        )
        for (index, searched) in core.chain.enumerated() {
            report.add(index == 0 ? "searched" : "and in", searched.title)
        }
        report.add("registered", "in \(entry.record.location)")
        report.add("fix", "\(core.expression).child(\"\(name)\"), and ask that or a child of it")
        return InjectleError(locatorNotFound, entry.identity, report)
    }

    /// There is nothing to make another instance by.
    static func notResettable(_ request: ResolveRequest, _ entry: Entry) -> InjectleError {
        let isGiven = entry.record.isInstanceGiven
        let reason = isGiven ? "is given, not made" : "lets go of its closure once that has run"
        var report = Report("\(entry.identity) \(reason), so that no other instance can be made.", requestedBy: request)
        report.add("registered", "in \(entry.record.location), \(entry.record.lifetime)")
        report.add("fix", isGiven ? "register another instance" : "add `.resettable()` to the registration")
        return InjectleError(notResettable, entry.identity, report)
    }

    /// What user code that was run to make a service threw: wrapped, unless it is an error of this kind already.
    static func creation(_ entry: Entry, threw error: any Error, requestedBy request: ResolveRequest) -> InjectleError {
        if let error = error as? InjectleError { return error }
        if error is CancellationError { return cancelled(request, entry) }
        if let reason = error as? CreationFailure {
            return switch reason {
            case .notAnObject: notAnObject(request, entry)
            case .released: released(request, entry)
            case .actorHasGone: isolation(request, entry, waited: nil)
            }
        }
        return factoryFailed(request, entry, error)
    }

    /// A closure threw.
    private static func factoryFailed(_ request: ResolveRequest, _ entry: Entry, _ error: any Error) -> InjectleError {
        var report = Report(
            "\(entry.identity) could not be made: \(error)",
            requestedBy: request,
            needing: entry.identity
        )
        report.add("registered", "in \(entry.record.location), \(entry.record.lifetime)")
        report.add("note", "nothing was kept, so the next resolve tries again")
        return InjectleError(factoryFailed, entry.identity, report, underlying: error)
    }

    /// A closure ended because its task was cancelled, or whoever awaited the service was.
    static func cancelled(_ request: ResolveRequest, _ entry: Entry?) -> InjectleError {
        let identity = entry?.identity ?? request.identity
        let report = Report("The making of \(identity) was cancelled.", requestedBy: request, needing: identity)
        return InjectleError(cancelled, identity, report, underlying: CancellationError())
    }

    /// The last handle of a locator is gone, or it is closed.
    static func ended(_ request: ResolveRequest, _ core: LocatorCore) -> InjectleError {
        let reason =
            switch (core.isClosing, core.isTerminated) {
            case (false, _): "which nobody refers to any more"
            case (true, false): "which is being closed, and makes nothing new that it would keep"
            case (true, true): "which is closed"
            }
        var report = Report("\(request.identity) was asked of \(core.title), \(reason).", requestedBy: request)
        if core.isClosing {
            report.add("fix", "ask before \(core.expression).close(), or let a disposer use what its service has")
        } else {
            report.add("fix", "keep the locator for as long as what it made is used")
        }
        return InjectleError(core.isClosing ? locatorClosed : locatorReleased, request.identity, report)
    }

    private static let laterRemedy =
        "let one of them ask later: a property marked `@Inject` is resolved when it is read, not when its owner is made"
}

/// What comes close to a service that is missing.
private struct Neighbours {
    private let identity: ServiceKey
    private let core: LocatorCore
    /// Registrations of the same type under another key or none.
    private var sameType: [Entry] = []
    /// Registrations of another type, whose instance is there and is of the type that was asked for.
    private var conforming: [Entry] = []
    /// Other locators that have it.
    private var elsewhere: [LocatorCore] = []
    /// A child that has it.
    private var child: LocatorCore?

    init(of identity: ServiceKey, lookingIn core: LocatorCore) {
        self.identity = identity
        self.core = core
        for entry in core.chain.flatMap(\.ownEntries) {
            if entry.identity.type == identity.type {
                sameType.append(entry)
            } else if let made = entry.core.instance(of: entry.record), made.cast(to: identity.type) != nil {
                conforming.append(entry)
            }
        }
        // To look into the test locator is to make it, which costs no more than a word once a program can have
        // overrides.
        for other in [Locator.default.core, Locator.test.core, CurrentLocator.override?.core].compactMap(\.self) {
            let isSearched = (core.chain.map(\.self) + elsewhere).contains { $0 === other }
            if !isSearched, other.find(identity) != nil { elsewhere.append(other) }
        }
        // One is enough, and there may be many that do not have it.
        let children = core.children(atMost: 100).filter { child in !elsewhere.contains { $0 === child } }
        child = children.first { $0.find(identity)?.core === $0 }
    }

    var facts: [String] {
        sameType.prefix(5).map { "\($0.identity), registered in \($0.record.location)" }
            + conforming.prefix(5).map { "\($0.identity), which is one, registered in \($0.record.location)" }
            + elsewhere.map { "\($0.title) has it" }
            + (child.map { ["\($0.title), which is a child, has it"] } ?? [])
    }

    /// What mends it, the likeliest first.
    var remedies: [String] {
        let type = reference(identity.type)
        let key = identity.userKey.map { ", key: \($0)" } ?? ""
        let registering = "\(core.expression).register(.lazy { … }, for: \(type)\(key))"
        if let entry = conforming.first {
            return ["add `.as(\(type)\(key))` to the registration in \(entry.record.location)"]
        }
        if let other = elsewhere.first {
            return [registering, "make it a child, which finds what its parent has: \(other.expression).child()"]
        }
        if child != nil, let shared = Frame.shared(by: core) {
            let creator = ServiceKey(type: shared.type, keyPart: shared.userKey)
            return [registering, "let each child have its \(creator): `.lifetime(.perLocator)`, or `.volatile`"]
        }
        let keys = sameType.prefix(5).map { $0.identity.userKey.map { "with the key \($0)" } ?? "without a key" }
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
    init(_ sentence: String, requestedBy request: ResolveRequest? = nil, needing needed: ServiceKey? = nil) {
        self.sentence = sentence
        path = Frame.path
        guard let request else { return }
        add("requested by", "\(request.requester.rawValue) in \(request.location)")
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

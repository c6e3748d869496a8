// One function for each way to fail, which gathers what its text says.

extension InjectleError {
    /// Nothing is registered under what was asked for.
    static func missing(_ request: Request, in core: Core, isOverride: Bool? = nil) -> InjectleError {
        let identity = ServiceKey(type: unwrapped(request.identity.type), label: request.identity.label)
        let isOverride = isOverride ?? (Ambient.override?.core === core)
        let neighbours = Neighbours(of: identity, lookingIn: core)
        var report = Report("No service is registered as \(identity).")
        report.asked(by: request)
        for (index, searched) in core.chain.enumerated() {
            report.add(
                index == 0 ? "looked in" : "and in",
                searched.title + (index == 0 && isOverride ? ", the override in force" : "")
            )
        }
        report.add(path: Frame.path, to: identity)
        neighbours.describe(in: &report)
        report.add("mend", neighbours.remedy(for: request))
        return InjectleError(InjectleError.missing as Code, identity, path: Frame.path, report)
    }

    /// A service is not of a type it was registered as, or found by its key for another one.
    static func wrongType(_ record: Record, asked identity: ServiceKey, _ request: Request? = nil) -> InjectleError {
        var report = Report("What is registered as \(identity) is not of that type: it is made as \(spelled(record.serviceType)).")
        if let request { report.asked(by: request) }
        report.add("registered", "in \(record.site), as \(record.identities.map(\.description).joined(separator: ", "))")
        report.add(path: Frame.path, to: identity)
        if record.identities.contains(identity) {
            report.add("mend", "let \(spelled(record.serviceType)) be one, or take `.as(\(reference(identity.type)))` away")
        } else {
            report.add("mend", "ask for \(record.identities.map { spelled($0.type) }.joined(separator: " or ")), or use another key")
        }
        return InjectleError(InjectleError.wrongType as Code, identity, path: Frame.path, report)
    }

    /// Something is registered that is not to be replaced.
    static func forbidden(_ identity: ServiceKey, in core: Core, taken slot: Slot) -> InjectleError {
        var report = Report("\(identity) is registered in \(core.title) already, and was not to be replaced.")
        report.add("registered", "in \(slot.record.site), as \(slot.identity), \(slot.record.lifetime)\(slot.record.isFinal ? ", final" : "")")
        let remove = identity.label.map { "\(core.expression).unregister(\(reference(identity.type)), key: \($0))" }
            ?? "\(core.expression).unregisterService(\(reference(identity.type)))"
        report.add(
            "mend",
            slot.record.isFinal
                ? "remove it first: \(remove)"
                : "remove it first: \(remove), or pass `and: allowReassignment`"
        )
        return InjectleError(InjectleError.forbiddenReassignment as Code, identity, report)
    }

    /// A service is asked for while it is being made for the same asker.
    static func cycle(_ request: Request, _ slot: Slot) -> InjectleError {
        let path = Frame.path
        let start = path.lastIndex { $0.identity == slot.identity } ?? path.startIndex
        let circle = path[start...].map(\.identity.description) + [slot.identity.description]
        var report = Report("\(slot.identity) needs itself.")
        report.asked(by: request)
        report.add("path", (path[..<start].map(\.identity.description) + circle).joined(separator: " → "))
        report.add("mend", "let one of them ask later: a property marked `@Inject` is resolved when it is read, not when its owner is made")
        return InjectleError(InjectleError.cycle as Code, slot.identity, path: path, report)
    }

    /// Waiting for who makes a service would never end.
    static func deadlock(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report("\(slot.identity) is being made on another thread, which waits for what this thread makes.")
        report.asked(by: request)
        report.add(path: Frame.path, to: slot.identity)
        report.add("mend", "services that need each other cannot be made: let one of them ask later, through a property marked `@Inject`")
        return InjectleError(InjectleError.deadlock as Code, slot.identity, path: Frame.path, report)
    }

    /// A making is deeper than any that ends.
    static func tooDeep(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report("\(slot.identity) is needed by \(Resolution.depthLimit) services, each for the sake of the next.")
        report.asked(by: request)
        let path = Frame.path
        report.add("path", (["…"] + path.suffix(5).map(\.identity.description) + [slot.identity.description]).joined(separator: " → "))
        report.add("mend", "look for a factory that asks for ever new keys of its own type")
        return InjectleError(InjectleError.tooDeep as Code, slot.identity, path: path, report)
    }

    /// A service belongs to an actor that the asker is not on.
    static func isolation(_ request: Request, _ slot: Slot, waited: Duration?) -> InjectleError {
        guard case .on(let home) = slot.record.place else { preconditionFailure("Anywhere is never elsewhere.") }
        let reason = waited.map { "it did not get there within \($0)" } ?? "and was asked for from elsewhere"
        var report = Report("\(slot.identity) is made on \(home.name), \(reason).")
        report.asked(by: request)
        report.add("registered", "in \(slot.record.site)")
        report.add(path: Frame.path, to: slot.identity)
        if waited != nil { report.add("note", "the main thread seems to be blocked, perhaps waiting for this one") }
        let name = slot.record.lifetime.description
        report.add(
            "mend",
            home.isMain
                ? "resolve it on the main actor first, or register it with `.\(name)(.anywhere) { … }` if it may be made on any thread"
                : "resolve it on \(home.name), or register it with `.\(name)(.anywhere) { … }` if it may be made on any thread"
        )
        return InjectleError(InjectleError.wrongIsolation as Code, slot.identity, path: Frame.path, report)
    }

    /// A closure threw.
    static func factoryFailed(_ request: Request, _ slot: Slot, _ error: any Error) -> InjectleError {
        var report = Report("\(slot.identity) could not be made: \(error)")
        report.asked(by: request)
        report.add("registered", "in \(slot.record.site), \(slot.record.lifetime)")
        report.add(path: Frame.path, to: slot.identity)
        report.add("mend", "nothing was kept, so the next resolve tries again")
        return InjectleError(InjectleError.factoryFailed as Code, slot.identity, path: Frame.path, underlying: error, report)
    }

    /// A closure ended because its task was cancelled.
    static func cancelled(_ request: Request, _ slot: Slot) -> InjectleError {
        var report = Report("The making of \(slot.identity) was cancelled.")
        report.asked(by: request)
        report.add(path: Frame.path, to: slot.identity)
        return InjectleError(InjectleError.cancelled as Code, slot.identity, path: Frame.path, underlying: CancellationError(), report)
    }

    /// The last handle of a locator is gone.
    static func ended(_ request: Request, _ core: Core) -> InjectleError {
        var report = Report("\(request.identity) was asked of \(core.title), which nobody refers to any more.")
        report.asked(by: request)
        report.add("mend", "keep the locator for as long as what it made is used")
        return InjectleError(InjectleError.locatorEnded as Code, request.identity, path: Frame.path, report)
    }
}

/// What comes close to a service that is missing.
private struct Neighbours {
    let identity: ServiceKey
    let core: Core
    /// Registrations of the same type under another key or none.
    var sameType: [Slot] = []
    /// Registrations whose instance is there and is of the type that was asked for.
    var conforming: [Slot] = []
    /// Other locators that have it.
    var elsewhere: [Core] = []

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
        let others = Ambient.known + [Ambient.override?.core].compactMap(\.self)
        for other in others where !core.chain.contains(where: { $0 === other }) {
            if other.find(identity) != nil, !elsewhere.contains(where: { $0 === other }) { elsewhere.append(other) }
        }
    }

    func describe(in report: inout Report) {
        for slot in sameType.prefix(5) { report.add("close", "\(slot.identity), registered in \(slot.record.site)") }
        for slot in conforming.prefix(5) {
            report.add("close", "\(slot.identity), which is one, registered in \(slot.record.site)")
        }
        for other in elsewhere { report.add("close", "\(other.title) has it") }
    }

    func remedy(for request: Request) -> String {
        let type = reference(identity.type)
        let key = identity.label.map { ", key: \($0)" } ?? ""
        if let slot = conforming.first {
            return "let it be known as that, too: `.as(\(type)\(key))` on the registration in \(slot.record.site)"
        }
        if let other = elsewhere.first {
            return "register it in \(core.title) as well, or make that a child: `\(other.expression).child()`"
        }
        if let slot = sameType.first {
            return slot.identity.label.map { "ask with the key \($0)" } ?? "ask without a key"
        }
        return "\(core.expression).register(.lazy { … }, for: \(type)\(key))"
    }
}

/// A type as an expression.
private func reference(_ type: Any.Type) -> String {
    let name = spelled(type)
    return name.hasPrefix("any ") ? "(\(name)).self" : "\(name).self"
}

/// A text of one sentence and a list of facts.
struct Report: CustomStringConvertible {
    private let sentence: String
    private var facts: [(name: String, text: String)] = []

    init(_ sentence: String) {
        self.sentence = sentence
    }

    mutating func add(_ name: String, _ text: String) {
        facts.append((name, text))
    }

    mutating func add(path: [InjectleError.Step], to identity: ServiceKey) {
        guard !path.isEmpty else { return }
        var names = path.map(\.identity.description)
        // What failed while it was made is the end of its own path.
        if path.last?.identity != identity { names.append(identity.description) }
        add("path", names.joined(separator: " → "))
    }

    mutating func asked(by request: Request) {
        add("asked by", "\(request.asker) in \(request.site)")
    }

    var description: String {
        let width = facts.map(\.name.count).max() ?? 0
        return facts.reduce(into: sentence) { text, fact in
            text += "\n  \(fact.name)\(String(repeating: " ", count: width - fact.name.count))  \(fact.text)"
        }
    }
}

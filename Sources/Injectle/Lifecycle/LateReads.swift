internal import CInjectle

// Reads of properties whose locator was closed.

extension Locator {
    /// What properties return after this locator was closed: ``LateReads/lastInstance`` for a child, else
    /// ``LateReads/trap``, if not set.
    ///
    /// A request can leave work behind, such as a streamed body, and one read of it must not end a server. A root is
    /// closed when its program ends, and then releases its instances.
    public var lateReads: LateReads {
        get { core.lock.withLock { core.lateReads } }
        set { core.lock.withLock { core.lateReads = newValue } }
    }

    /// What properties return after their locator was closed. Calls of `resolve` throw
    /// ``InjectleError/locatorClosed`` in any case.
    ///
    /// ```swift
    /// let request = locator.child("request")
    /// print(request.lateReads == .lastInstance)  // Prints "true"
    /// request.lateReads = .trap
    /// ```
    public struct LateReads: Hashable, Sendable {
        fileprivate let trapsAlways: Bool

        /// Returns the instance that existed when the locator was closed, after its hooks have run. If there was none, or
        /// an unowned one, an optional property is nil, and any other traps.
        ///
        /// Behaviors get each late read as a `didResolve` with an error; if no locator has any, the first one is printed
        /// to standard error. The locator releases its instances with its last reference, or by ``Locator/reset()``.
        public static var lastInstance: LateReads { LateReads(trapsAlways: false) }

        /// Traps. A closed locator releases its instances at once.
        public static var trap: LateReads { LateReads(trapsAlways: true) }
    }
}

/// An instance of a locator that was closed, as the type of an identity.
struct LastInstance {
    let identity: Locator.Identity
    let record: RegistrationRecord
    let instance: Instance
}

extension LocatorCore {
    /// The instances that late reads return, if this locator is closed now.
    var instancesToKeep: [LastInstance] { returnsLastInstances ? existingInstances : [] }

    /// Whether late reads return the last instances.
    var returnsLastInstances: Bool { lock.withLock { lateReads } == .lastInstance }

    /// The instances that properties can read without creating any.
    private var existingInstances: [LastInstance] {
        var records = ownEntries.map(\.record)
        existingScopedCache?.forEachCell { records.append($0.record) }
        var known: Set<ObjectIdentifier> = []
        return records.filter { known.insert(ObjectIdentifier($0)).inserted }.flatMap { record in
            guard let instance = deliverable(of: record) else { return [LastInstance]() }
            return record.identities.compactMap { identity in
                // A nearer or later registration can hide an instance that a cache still has.
                guard isVisible(record, as: identity) else { return nil }
                return instance.cast(to: identity.type).map {
                    LastInstance(identity: identity, record: record, instance: $0)
                }
            }
        }
    }

    /// The instance of a record that properties receive: copies of a prototype belong to them, and they pass no arguments.
    private func deliverable(of record: RegistrationRecord) -> Instance? {
        unsafe record.copy == nil && record.declared == nil ? instance(of: record) : nil
    }

    /// The instance that a read returns after this locator was closed, as the requested type: nil for an `Optional`
    /// without an instance. Nil if there is none. Reports the read.
    func lastInstance(for request: ResolveRequest, of property: InjectionPoint) -> Instance? {
        (findLastInstance(for: request, of: property) ?? Instance.make(Any?.none)).cast(to: request.type)
    }

    private func findLastInstance(for request: ResolveRequest, of property: InjectionPoint) -> Instance? {
        let identity = Locator.Identity(type: unwrapped(request.type), keyPart: request.identity.userKey)
        let own = property.ownInstance(requestedIn: self)
        for core in chain {
            if let entry = core.isTerminated ? nil : core.find(identity) {
                // An open ancestor's instance is not late.
                let own = own?.record === entry.record ? own?.instance : nil
                let instance = own ?? entry.core.deliverable(of: entry.record)
                if instance != nil { send(.didResolve, of: entry.record, as: identity) }
                return instance
            }
            let all = core.allLastInstances
            if let last = all.last(where: { $0.identity.isExactly(identity) }) {
                core.reportLateRead(request, of: last.record)
                return last.instance
            }
            if let list = (identity.type as? any List.Type)?.make(for: identity.userKey, from: all) {
                core.reportLateRead(request, of: .synthetic)
                return list
            }
        }
        guard let own else { return nil }
        reportLateRead(request, of: own.record)
        return own.instance
    }

    private func reportLateRead(_ request: ResolveRequest, of record: RegistrationRecord) {
        let error = InjectleError.lateRead(request, self)
        if observes(.didResolve) {
            send(.didResolve, of: record, as: request.identity, failure: error)
            return
        }
        let isFirst = lock.withLock {
            defer { hasLateRead = true }
            return !hasLateRead
        }
        if isFirst { unsafe injectle_print_error("\(error)\n") }
    }
}

/// The type of a list, whose elements contribute to it.
private protocol List {
    static func make(for userKey: Locator.Identity.KeyPart?, from last: [LastInstance]) -> Instance?
}

extension Array: List {
    fileprivate static func make(for userKey: Locator.Identity.KeyPart?, from last: [LastInstance]) -> Instance? {
        let identity = Locator.Identity(type: unwrapped(Element.self), keyPart: .init(.contributing, userKey: userKey))
        let elements = last.filter { $0.identity.isExactly(identity) }.map { $0.instance.loaded(as: Element.self) }
        return elements.isEmpty ? nil : Instance.make(elements)
    }
}

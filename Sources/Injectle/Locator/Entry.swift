/// The place of one identity in one locator: its registrations, and the instance that reads find.
///
/// Invariant: registrations change under the lock of `core`, too. `instance` is an `Instance` of the identity's type,
/// and the instance of `record` that each request gets. `core` outlives each use of an entry: a caller that finds one
/// retains that core, or a descendant, which retains it.
@usableFromInline final class Entry: Sendable {
    @usableFromInline struct State {
        /// The registration whose closure declares no arguments.
        var record: AnyRecord?
        /// The instance, if each request gets the same.
        @usableFromInline var instance: AnyInstance?
        /// The instance of a weak service.
        var reference: WeakReference?
        /// The registrations whose closures declare arguments, the latest last: one for each list of types.
        var withArguments: [AnyRecord] = []
        /// The registrations that contribute to the list of the type, in order.
        var contributions: [AnyRecord] = []

        /// Whether requests find nothing here.
        var isEmpty: Bool { record == nil && withArguments.isEmpty }
    }

    /// Whether only a decorator finds it.
    let isWrapped: Bool
    /// Whether descendants had the identity first.
    let isOfChildren: Bool
    private let owner: Borrowed<LocatorCore>
    let identity: Locator.Identity
    @usableFromInline let state = Mutex(State())

    init(_ core: LocatorCore, _ identity: Locator.Identity, isWrapped: Bool = false, isOfChildren: Bool = false) {
        self.isWrapped = isWrapped
        self.isOfChildren = isOfChildren
        owner = Borrowed(core)
        self.identity = identity
    }

    var core: LocatorCore { owner.object }

    var isEmpty: Bool { state.withLock { $0.isEmpty } }

    // MARK: Reading

    /// The instance, if each request gets it.
    @inlinable @inline(__always)
    func existing<Service>(_ type: Service.Type) -> Service? {
        state.withLock { $0.instance?.service(as: type) }
    }

    /// What a request gets without an acquisition.
    enum Plain {
        /// A registration, whose closure it only has to call.
        case transient(AnyRecord)
        /// The object of a weak service.
        case weak(AnyObject)
        case none
    }

    /// What a request for a service of a type gets without an acquisition. Arguments have to be exactly of the declared
    /// types.
    func plain(_ type: Any.Type, _ arguments: Arguments?) -> Plain {
        var record: AnyRecord?
        if let arguments {
            record = registration(declaringExactly: arguments)
        } else {
            let reference = state.withLock { state -> WeakReference? in
                // Only a weak service has one, which is not transient.
                if state.reference == nil { record = state.record }
                return state.reference
            }
            if let object = reference?.object { return .weak(object) }
        }
        guard let record, record.traits.isPlainTransient, record.runsHere, record.traits.serviceType == type else {
            return .none
        }
        return .transient(record)
    }

    /// The registration that a request with arguments gets, if that can be told from their types alone. Nil if an
    /// argument may have to be converted, and for an initializer, which has to take each argument.
    private func registration(declaringExactly arguments: Arguments) -> AnyRecord? {
        let (record, withArguments) = state.withLock { ($0.record, $0.withArguments) }
        if withArguments.isEmpty { return record?.traits.isInitializer == true ? nil : record }
        return withArguments.last { $0.traits.declared.map(arguments.areExactly) ?? false }
    }

    // MARK: Looking up

    /// Finds the latest registration that declares the arguments of a request, or else the one that declares none.
    func find(given arguments: Arguments?) -> Lookup {
        let (record, withArguments) = state.withLock { ($0.record, $0.withArguments) }
        let latest = arguments.flatMap { Entry.latest(of: withArguments, matching: $0) }
        if let record = latest ?? record { return .registration(Found(entry: self, record: record)) }
        // Of several registrations that are removed, the last one is not for other arguments.
        return withArguments.allSatisfy(\.isEnded) ? .nothing : .otherArguments
    }

    /// The latest registration that declares these types, or else types to which the arguments convert.
    static func latest(of withArguments: [AnyRecord], matching arguments: Arguments) -> AnyRecord? {
        withArguments.last { $0.traits.declared.map(arguments.areExactly) ?? false }
            ?? withArguments.last { $0.traits.declared.map(arguments.convert) ?? false }
    }

    /// Calls `body` for each registration whose first entry this is. The locator's lock is held.
    func forEachFirst(_ body: (AnyRecord) -> Void) {
        state.withLock { state in
            if let record = state.record, record.entries.first === self { body(record) }
            for record in state.withArguments where record.entries.first === self { body(record) }
            for record in state.contributions where record.entries.first === self { body(record) }
        }
    }

    /// All registrations, in order: without those that have ended, unless they are included.
    func registrations(includingEnded: Bool = false) -> [Found] {
        let present = state.withLock { state in
            let all =
                (state.withArguments + (state.record.map { [$0] } ?? [])).map { Found(entry: self, record: $0) }
                + state.contributions.map { Found(entry: self, record: $0, isContribution: true) }
            // Under the lock, which a replacement takes before it ends the former registration.
            return includingEnded ? all : all.filter { !$0.record.isEnded }
        }
        return present.count < 2 ? present : present.sorted { $0.record.order < $1.record.order }
    }

    /// The registrations that contribute to the list of the type.
    var contributions: [Found] {
        state.withLock { $0.contributions }.map { Found(entry: self, record: $0, isContribution: true) }
    }

    /// The registrations that declare arguments, the latest first.
    var withArguments: [Found] {
        state.withLock { $0.withArguments }.reversed().filter { !$0.isEnded }.map { Found(entry: self, record: $0) }
    }

    /// The registration that another one replaces.
    func replaced(by record: AnyRecord) -> AnyRecord? {
        state.withLock { state in
            guard let declared = record.traits.declared else { return state.record }
            return state.withArguments.first { $0.traits.declares(declared) }
        }
    }

    // MARK: The instance

    /// Shows an instance to reads, unless its cell has released it or another registration is here.
    ///
    /// - Parameters:
    ///   - cast: The instance as a value of the type of the identity, or a weak reference to it.
    ///   - instance: The instance as the cell has it.
    func show(_ cast: AnyInstance, of instance: AnyInstance, in cell: Cell?, of record: AnyRecord) {
        state.withLock { state in
            guard state.record === record, state.instance == nil, cell?.holds(instance) ?? true else { return }
            if cast.type == WeakReference.self {
                state.reference = cast.service(as: WeakReference.self)
            } else {
                state.instance = cast
            }
        }
    }

    /// Hides the instance of a record from reads. Returns it, to be released without a lock.
    func hideInstance(of record: AnyRecord) -> AnyInstance? {
        state.withLock { state in
            guard state.record === record else { return nil }
            state.reference = nil
            return state.instance.take()
        }
    }
}

extension RegistrationTraits {
    /// Whether the closure declares exactly these arguments.
    func declares(_ types: [Any.Type]) -> Bool { declared?.elementsEqual(types, by: ==) ?? false }
}

/// The place of one identity in one locator: its registration, and the instance that reads find.
///
/// The entry of a type and key also leads to the registrations that declare arguments, or contribute to the list.
///
/// Invariant: `record` and `order` change under the lock of `core`, too. `form` is an `Instance` of the identity's type, and
/// the instance of `record` that each request gets. `core` outlives each use of an entry: a caller that finds one retains
/// that core, or a descendant, which retains it.
@usableFromInline final class Entry: Sendable {
    @usableFromInline struct State {
        @usableFromInline var record: AnyRecord?
        @usableFromInline var form: AnyInstance?
        /// The same of a weak service.
        @usableFromInline var reference: WeakReference?
        /// The position in the locator's order of registration.
        var order = 0
        /// The entries of the same type and key whose registrations declare arguments or contribute to the list.
        var variants: [Entry] = []
        /// The type through which values are composed where it is not registered, once a request has found out, or nil for
        /// another type. In the entry of a root locator.
        var composed: (any ComposedType.Type)??
    }

    @usableFromInline unowned let core: LocatorCore
    let identity: Locator.Identity
    /// Whether a request has found the registration by its key alone. Then no table has the entry.
    let isTemporary: Bool
    @usableFromInline let state: Mutex<State>

    init(_ core: LocatorCore, _ identity: Locator.Identity, foundByKeyAlone record: AnyRecord? = nil) {
        (self.core, self.identity, isTemporary) = (core, identity, record != nil)
        state = Mutex(State(record: record))
    }

    var record: AnyRecord? { state.withLock { $0.record } }
    var order: Int { state.withLock { $0.order } }
    var isEmpty: Bool { state.withLock { $0.record == nil } }
    /// Changed while the lock of the core is held.
    var variants: [Entry] {
        get { state.withLock { $0.variants } }
        set { state.withLock { $0.variants = newValue } }
    }

    /// The instance, if each request gets it.
    @inlinable @inline(__always)
    func existing<Service>(_ type: Service.Type) -> Service? {
        state.withLock { $0.form?.service(as: type) }
    }

    /// The instance, if it is weak and alive.
    @inlinable
    func referenced<Service>(_ type: Service.Type) -> Service? {
        // A cast of nil would succeed for an optional type.
        guard let object = state.withLock({ $0.reference })?.object else { return nil }
        return object as? Service
    }

    /// The entry whose registration a request for this type finds. Nil if a conversion of the arguments has to decide.
    @usableFromInline func entry(for arguments: Arguments) -> Entry? {
        let variants = variants
        if variants.isEmpty { return self }
        return variants.first { variant in
            !variant.identity.isContribution && variant.record?.traits.declared.map(arguments.areExactly) ?? false
        }
    }

    /// The registration, if each request only has to call its closure.
    @inlinable @inline(__always)
    func plainTransient<Service>(_ type: Service.Type) -> Record<Service>? {
        guard let record = state.withLock({ $0.record }), record.traits.isPlainTransient else { return nil }
        return record.typed(type)
    }

    // MARK: Changing. The lock of the core is held.

    /// Sets the registration. Returns the former one and its form, to be released without a lock.
    func replace(with record: AnyRecord?, order: Int) -> (record: AnyRecord?, form: AnyInstance?) {
        state.withLock { state in
            defer { (state.record, state.form, state.reference, state.order) = (record, nil, nil, order) }
            return (state.record, state.form)
        }
    }

    // MARK: The form

    /// Shows an instance to reads, unless its cell has ended or another registration is here.
    func show(_ form: AnyInstance, of instance: AnyInstance, in cell: Cell?, of record: AnyRecord) {
        state.withLock { state in
            guard state.record === record, state.form == nil, cell?.holds(instance) ?? true else { return }
            if form.type == WeakReference.self {
                state.reference = form.service(as: WeakReference.self)
            } else {
                state.form = form
            }
        }
    }

    /// Hides the instance of a record from reads. Returns it, to be released without a lock.
    func hide(_ record: AnyRecord) -> AnyInstance? {
        state.withLock { state in
            guard state.record === record else { return nil }
            state.reference = nil
            return state.form.take()
        }
    }
}

/// The list of what a change to a locator or a cache retires.
typealias RetireList = Runtime.RetireList<RetireEffect>

/// An effect of a change, which runs after the lock.
enum RetireEffect {
    /// Behaviors receive an event.
    case event(Locator.Event.Kind, RegistrationRecord, LocatorCore)
    /// A registration has left its locator, and the caches of scopes drop its instances.
    case unregistered(RegistrationRecord, LocatorCore)
    /// The disposers of an instance run.
    case disposal(Instance)

    /// Sends the events, and then runs the disposers, before the release of anything that these may need.
    static func perform(_ effects: [RetireEffect]) {
        for case .event(let kind, let record, let core) in effects { core.send(kind, of: record, as: record.identity) }
        var dropped = RetireList()
        for case .unregistered(let record, let core) in effects { record.dropCachedInstances(of: core, &dropped) }
        let due = effects.compactMap { if case .disposal(let instance) = $0 { instance } else { nil } }
        if dropped.isEmpty { return Disposal.run(due) }
        // With the others, so that all are disposed of in reverse order of creation.
        for instance in due { dropped.add(effect: .disposal(instance)) }
        dropped.dispose()
    }
}

extension Lock {
    /// Calls `body` under the lock, and afterwards disposes of what `body` retires.
    func withRetireList<Value>(_ body: (inout RetireList) -> Value) -> Value {
        var retired = RetireList()
        let value = withLock { body(&retired) }
        (consume retired).dispose()
        return value
    }
}

extension RetireList {
    /// Adds a registration that has left its locator.
    mutating func add(gone record: RegistrationRecord, from core: LocatorCore) {
        if record.usesScopedCaches { add(effect: .unregistered(record, core)) }
    }

    /// Adds an instance that a cache has dropped. Readers reach only the forms that entries publish.
    mutating func add(cached instance: Instance?) {
        guard let instance else { return }
        add(unreachable: instance)
        if let disposal = instance.disposal, disposal.release() { add(effect: .disposal(instance)) }
    }

    consuming func dispose() {
        dispose(performing: RetireEffect.perform)
    }
}

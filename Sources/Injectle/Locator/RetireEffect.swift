/// The list of what a change to a locator or a cache retires.
typealias RetireList = Runtime.RetireList<RetireEffect>

/// An effect of a change, which runs after the lock.
enum RetireEffect {
    /// Behaviors receive an event.
    case event(Locator.Event.Kind, RegistrationRecord, LocatorCore)
    /// A registration has left its locator, and the caches of scopes drop its instances.
    case unregistered(RegistrationRecord)
    /// The disposers of an instance run.
    case disposal(Instance)

    /// Sends the events, and then runs the disposers, before the release of anything that these may need.
    static func perform(_ effects: [RetireEffect]) {
        for case .event(let kind, let record, let core) in effects { core.send(kind, of: record) }
        var due: [Instance] = []
        for case .unregistered(let record) in effects { due += Disposal.collecting { record.dropCachedInstances() } }
        for case .disposal(let instance) in effects { due.append(instance) }
        Disposal.run(due)
    }
}

extension Lock {
    /// Calls `body` under the lock, and afterwards disposes of what `body` retires.
    func withRetireList<Value>(_ body: (inout RetireList) -> Value) -> Value {
        var retired = RetireList()
        let value = withLock { body(&retired) }
        retired.dispose()
        return value
    }
}

extension RetireList {
    /// Adds a registration that has left its locator.
    mutating func add(gone record: RegistrationRecord) {
        if record.usesScopedCaches { add(effect: .unregistered(record)) }
    }

    /// Adds an instance that a cache has dropped.
    mutating func add(cached instance: Instance?) {
        guard let instance else { return }
        add(instance)
        if let disposal = instance.disposal, disposal.release() { add(effect: .disposal(instance)) }
    }

    consuming func dispose() {
        dispose(performing: RetireEffect.perform)
    }
}

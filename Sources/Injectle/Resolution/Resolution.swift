/// What was asked, and from where.
struct Request {
    let identity: ServiceKey
    /// What asked, as errors name it: `resolve`, `@Inject`.
    let asker: StaticString
    let site: Site
    /// The actor that the asking code is known to run on.
    let isolation: (any Actor)?
    /// Whether what is found is handed on as an `Optional` of it.
    var isWrapped = false

    /// The request for what an `Optional` wraps.
    func unwrapped(as type: Any.Type) -> Request {
        Request(
            identity: ServiceKey(type: type, label: identity.label),
            asker: asker,
            site: site,
            isolation: isolation,
            isWrapped: true
        )
    }
}

/// The one way from a request to a service: looked up, made where its closure runs, once where it is shared.
enum Resolution {
    /// Making ends at this depth, or earlier where the thread's stack ends: a graph that needs more is one that grows
    /// without end, as by ever new keys.
    static let depthLimit = 200

    // MARK: By type

    /// The service that was asked for, or an error that says why there is none.
    static func service<Service>(
        _ type: Service.Type,
        _ request: Request,
        in core: Core,
        for property: Property? = nil
    ) throws(InjectleError) -> Service {
        if let service = try serviceIfRegistered(type, request, in: core, for: property) { return service }
        throw .missing(request, in: core)
    }

    /// The service that was asked for, or nil if none is registered. An `Optional` type is always answered: by nil.
    static func serviceIfRegistered<Service>(
        _ type: Service.Type,
        _ request: Request,
        in core: Core,
        for property: Property? = nil
    ) throws(InjectleError) -> Service? {
        var failure: InjectleError?
        let service: Service? = withUnsafeTemporaryAllocation(of: Service.self, capacity: 1) { memory in
            guard let storage = memory.baseAddress else { return nil }
            do throws(InjectleError) {
                if try provide(request, in: core, for: property, into: storage) { return storage.move() }
                // Only after a miss, since the question costs more than the lookup: nothing is registered as an `Optional`.
                guard let optional = Service.self as? any OptionalType.Type else { return nil }
                try optional.provide(request, in: core, for: property, into: storage)
                return storage.move()
            } catch {
                failure = error
                return nil
            }
        }
        if let failure { throw failure }
        return service
    }

    // MARK: By memory

    /// Initializes `storage` by a value of the requested type. False if no such service is registered.
    private static func provide(
        _ request: Request,
        in core: Core,
        for property: Property?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        while true {
            guard let slot = core.find(request.identity) else {
                if core.hasEnded { throw .ended(request, core) }
                return false
            }
            let making = Making(slot: slot, request: request, asking: core, property: property)
            // A registration that went after it was found is looked for again.
            if try making.provide(into: storage) {
                if !request.isWrapped { property?.remember(slot, foundIn: core) }
                return true
            }
        }
    }
}

/// One request that has found its slot.
private struct Making {
    let slot: Slot
    let request: Request
    /// The locator that was asked, perhaps a child of the one that has the registration.
    let asking: Core
    let property: Property?

    private var record: Record { slot.record }

    /// The locator that makes: that of the registration for what it keeps, else the one that was asked.
    private var maker: Core { record.lifetime.isKept ? slot.core : asking }

    /// Initializes `storage` by a value of the slot's type. False if the registration went meanwhile.
    func provide(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.lifetime.isShared, let made = slot.core.withCell(of: record, { $0.state.product }), let made {
            return try handOut(made, into: storage)
        }
        if record.place.isHere(request.isolation) { return try create(as: nil, into: storage) }
        return try createElsewhere(into: storage)
    }

    // MARK: Where it is made

    private func createElsewhere(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        let policy = asking.isolation
        guard case .on(let home) = record.place, home.isMain, let limit = policy.limit else {
            throw .isolation(request, slot, waited: nil)
        }
        // The job runs while this thread waits for it, so what it captures outlives it.
        nonisolated(unsafe) var outcome: Result<Bool, InjectleError>?
        let strand = Frame.currentStrand ?? Strand()
        let hasRun = MainActorDesk.run(before: Deadline(after: limit), as: strand) {
            do throws(InjectleError) {
                outcome = .success(try create(as: strand, into: storage))
            } catch {
                outcome = .failure(error)
            }
        }
        guard hasRun, let outcome else { throw .isolation(request, slot, waited: limit) }
        return try outcome.get()
    }

    // MARK: Whether it can be made

    private func create(as strand: Strand?, into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if Frame.isMaking(record, in: maker) { throw .cycle(request, slot) }
        if Frame.isTooDeep { throw .tooDeep(request, slot) }
        if record.lifetime.isShared {
            guard let made = try shared(as: strand) else { return false }
            return try handOut(made, into: storage)
        }
        guard let property else { return try makeOne(as: strand, into: storage) }

        // For a property, the new one is kept by it, and made once like any other.
        property.prepare(for: record, askedIn: asking)
        let own = try obtain(from: property, as: strand) { strand throws(InjectleError) in
            try Instance(of: slot.identity.type) { storage throws(InjectleError) in
                guard try makeOne(as: strand, into: storage) else { throw .missing(request, in: asking) }
            }
        }
        own?.copy(to: storage)
        return own != nil
    }

    /// The shared instance, or a factory's prototype. Nil if the registration went meanwhile.
    private func shared(as strand: Strand?) throws(InjectleError) -> Instance? {
        try obtain(from: slot.core, as: strand) { strand throws(InjectleError) in
            try Instance(of: record.serviceType) { storage throws(InjectleError) in try run(as: strand, into: storage) }
        }
    }

    /// One that is nobody else's: a volatile service, or a copy of a prototype.
    private func makeOne(as strand: Strand?, into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        guard record.serviceType == slot.identity.type else {
            var isThere = true
            let service = try Instance(of: record.serviceType) { memory throws(InjectleError) in
                isThere = try makeOneAsItself(as: strand, into: memory)
                if !isThere { throw .missing(request, in: asking) }
            }
            try convert(service, into: storage)
            return isThere
        }
        return try makeOneAsItself(as: strand, into: storage)
    }

    private func makeOneAsItself(
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        guard let copy = record.copy else {
            try run(as: strand, into: storage)
            return true
        }
        guard let prototype = try shared(as: strand) else { return false }
        try reporting { try copy(prototype.storage, storage) }
        return true
    }

    // MARK: Made once

    private enum Step {
        case use(Instance)
        case make(Cell)
        case wait(Cell.Waiter)
        case deadlock
    }

    /// The instance of the record's cell in `holder`, made by `make` if nobody has made it or is making it.
    private func obtain(
        from holder: some CellHolder,
        as given: Strand?,
        _ make: (Strand) throws(InjectleError) -> Instance
    ) throws(InjectleError) -> Instance? {
        let current = given ?? Frame.currentStrand
        let strand = current ?? Strand()
        while true {
            let step = holder.withCell(of: record) { cell -> Step in
                switch cell.state.ask(as: strand) {
                case .use(let instance):
                    return .use(instance)
                case .make:
                    return .make(cell)
                case .wait(for: let maker):
                    // Who makes nothing can wait for anyone: nobody waits for them.
                    if let current, !current.begin(waitingFor: maker) { return .deadlock }
                    let waiter = Cell.Waiter(strand: current, maker: maker)
                    cell.state.enter(waiter)
                    return .wait(waiter)
                }
            }
            switch step {
            case nil:
                return nil
            case .use(let instance):
                return instance
            case .deadlock:
                throw .deadlock(request, slot)
            case .wait(let waiter):
                MainActorDesk.wait(at: waiter.gate, strand: current)
                switch waiter.outcome {
                case .success(let instance): return instance
                // The other one's task was cancelled, not this one's.
                case .failure(InjectleError.cancelled), nil: continue
                case .failure(let error): throw error
                }
            case .make(let cell):
                do throws(InjectleError) {
                    let instance = try make(strand)
                    for waiter in holder.succeed(cell, with: instance) { waiter.finish(with: .success(instance)) }
                    return instance
                } catch {
                    for waiter in holder.fail(cell) { waiter.finish(with: .failure(error)) }
                    throw error
                }
            }
        }
    }

    /// Runs the registration's closure.
    private func run(as strand: Strand?, into storage: UnsafeMutableRawPointer) throws(InjectleError) {
        guard let make = record.make else {
            preconditionFailure("The closure of a service that was made is not asked for again.")
        }
        try reporting {
            try Frame.run(slot: slot, core: maker, strand: strand) {
                try make(Locator.Resolver(core: maker), storage)
            }
        }
    }

    /// Wraps what a user's code throws, once.
    private func reporting(_ body: () throws -> Void) throws(InjectleError) {
        do {
            try body()
        } catch let error as InjectleError {
            throw error
        } catch is CancellationError {
            throw .cancelled(request, slot)
        } catch {
            throw .factoryFailed(request, slot, error)
        }
    }

    // MARK: Handed out

    private func handOut(_ made: Instance, into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if !record.isSendable, asking.isolation == .strict, !record.place.isHere(request.isolation) {
            throw .isolation(request, slot, waited: nil)
        }
        guard made.type != slot.identity.type else {
            slot.core.keep(made, in: slot)
            made.copy(to: storage)
            return true
        }
        guard let form = made.cast(to: slot.identity.type) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
        slot.core.keep(form, in: slot)
        form.copy(to: storage)
        return true
    }

    private func convert(_ service: Instance, into storage: UnsafeMutableRawPointer) throws(InjectleError) {
        guard castService(at: service.storage, from: service.type, to: slot.identity.type, into: storage) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
    }
}

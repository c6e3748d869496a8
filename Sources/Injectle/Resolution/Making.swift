/// One request that has found its slot, on its way to an instance.
struct Making: ~Copyable {
    let slot: Slot
    let request: Request
    /// The locator that was asked, perhaps a child of the one that has the registration.
    let asking: Core
    let property: Property?

    private var record: Record { slot.record }

    /// The locator that makes: that of the registration for what it keeps, else the one that was asked.
    private var maker: Core { record.lifetime.isKept ? slot.core : asking }

    /// Where the instance will be kept, if anywhere: with everybody's, or with the property's.
    private var holder: (any CellHolder)? { record.lifetime.isShared ? slot.core : property }

    /// Initializes `storage` by a value of the slot's type. False if the registration went meanwhile.
    func provide(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.isSendable || !asking.isStrict, slot.copyService(to: storage) { return true }
        if !record.lifetime.isShared { property?.prepare(for: record, askedIn: asking) }
        if let holder, case .use(let made)? = holder.withCell(of: record, for: asking, { $0.state.answer }) {
            try handOut(made, into: storage)
            return true
        }
        guard isHere else { return try provideFromElsewhere(into: storage) }
        return try create(as: nil, waits: true, into: storage) == .done
    }

    // MARK: Where it is made

    /// Whether this is where the closure runs. One that is called on an actor, and does not capture it, does not know
    /// that it runs there; the making that it belongs to does.
    private var isHere: Bool {
        record.place.isHere(request.isolation) || request.isolation == nil && Frame.isRunning(at: record.place)
    }

    private enum Progress { case done, gone, busy }

    /// Lets the main actor make it. Only the making is done there: who waits for one in progress waits here, so that
    /// the main actor is never kept from what it was doing by what it was doing.
    private func provideFromElsewhere(into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        guard case .mainActor = record.place, let limit = asking.isolation.limit else {
            throw .isolation(request, slot, waited: nil)
        }
        let strand = Frame.currentStrand ?? Strand()
        while true {
            if let holder, let made = try awaited(in: holder) {
                try handOut(made, into: storage)
                return true
            }
            // Sound to share: the job runs while this thread waits for it, and what it captures outlives it.
            nonisolated(unsafe) var outcome: Result<Progress, InjectleError>?
            let hasRun = MainActorDesk.run(before: Deadline(after: limit), as: strand) {
                [slot, request, asking, property] in
                let making = Making(slot: slot, request: request, asking: asking, property: property)
                do throws(InjectleError) {
                    outcome = .success(try making.create(as: strand, waits: false, into: storage))
                } catch {
                    outcome = .failure(error)
                }
            }
            guard hasRun, let outcome else { throw .isolation(request, slot, waited: limit) }
            switch try outcome.get() {
            case .done: return true
            case .gone: return false
            case .busy: continue
            }
        }
    }

    /// What is made in `holder`, or is being made there, in which case this thread waits. Nil if it has yet to be made.
    private func awaited(in holder: some CellHolder) throws(InjectleError) -> Instance? {
        let current = Frame.currentStrand
        let step = holder.withCell(of: record, for: asking) { cell -> Step in
            switch cell.state.answer {
            case .use(let instance): .use(instance)
            case .make: .idle
            case .wait(for: let maker): wait(for: maker, as: current, in: cell)
            }
        }
        switch step {
        case .use(let instance): return instance
        case .wait(let waiter): return try outcome(of: waiter)
        case .deadlock: throw .deadlock(request, slot)
        case .make, .idle, nil: return nil
        }
    }

    // MARK: Whether it can be made

    /// - Parameters:
    ///   - strand: Who makes, if that is not to be seen from this thread's path.
    ///   - waits: Whether to wait for one that is being made, or to say that somebody is busy with it.
    private func create(
        as strand: Strand?,
        waits: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Progress {
        if Frame.isMaking(record, in: maker) { throw .cycle(request, slot) }
        if Frame.isTooDeep { throw .tooDeep(request, slot) }
        guard let holder else { return try makeOne(as: strand, into: storage) ? .done : .gone }

        let obtained =
            record.lifetime.isShared
            ? try shared(as: strand, waits: waits)
            : try obtain(from: holder, as: strand, waits: waits) { strand throws(InjectleError) in
                // For a property, the new one is kept by it, and made once like any other.
                try Instance(orNone: slot.identity.type) { storage throws(InjectleError) in
                    try makeOne(as: strand, into: storage)
                }
            }
        switch obtained {
        case .instance(let made):
            try handOut(made, into: storage)
            return .done
        case .gone: return .gone
        case .busy: return .busy
        }
    }

    /// The shared instance, or a factory's prototype.
    private func shared(as strand: Strand?, waits: Bool = true) throws(InjectleError) -> Obtained {
        try obtain(from: slot.core, as: strand, waits: waits) { strand throws(InjectleError) in
            try Instance(orNone: record.serviceType) { storage throws(InjectleError) in
                // The last registration of it may go between the claim and here, and takes the closure along.
                guard let make = slot.core.make(of: record) else { return false }
                try reporting(as: strand) { try make(.passUnretained(maker), storage) }
                return true
            }
        }
    }

    /// One that is nobody else's: a volatile service, or a copy of a prototype. False if the registration went
    /// meanwhile.
    private func makeOne(as strand: Strand?, into storage: UnsafeMutableRawPointer) throws(InjectleError) -> Bool {
        if record.serviceType == slot.identity.type { return try makeOneAsItself(as: strand, into: storage) }
        let made = try Instance(orNone: record.serviceType) { memory throws(InjectleError) in
            try makeOneAsItself(as: strand, into: memory)
        }
        guard let service = made else { return false }
        guard castService(at: service.storage, from: service.type, to: slot.identity.type, into: storage) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
        return true
    }

    private func makeOneAsItself(
        as strand: Strand?,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        guard let copy = record.copy else {
            try reporting(as: strand) { try record.makeAnew(in: .passUnretained(maker), into: storage) }
            return true
        }
        guard case .instance(let prototype) = try shared(as: strand) else { return false }
        try reporting(as: strand) { try copy(prototype.storage, storage) }
        return true
    }

    // MARK: Made once

    private enum Obtained {
        case instance(Instance)
        case gone
        case busy
    }

    private enum Step {
        case use(Instance)
        case make(Cell)
        case wait(Cell.Waiter)
        case deadlock
        /// Nobody makes it, or somebody does who is not to be waited for.
        case idle
    }

    /// The instance of the record's cell in `holder`, made by `make` if nobody has made it or is making it. Where
    /// `make` returns nil, the registration went meanwhile.
    private func obtain(
        from holder: some CellHolder,
        as given: Strand?,
        waits: Bool,
        _ make: (Strand) throws(InjectleError) -> Instance?
    ) throws(InjectleError) -> Obtained {
        let current = given ?? Frame.currentStrand
        let strand = current ?? Strand()
        while true {
            let step = holder.withCell(of: record, for: asking) { cell -> Step in
                switch cell.state.ask(as: strand) {
                case .use(let instance): .use(instance)
                case .make: .make(cell)
                case .wait(for: let maker): waits ? wait(for: maker, as: current, in: cell) : .idle
                }
            }
            switch step {
            case nil: return .gone
            case .idle: return .busy
            case .use(let instance): return .instance(instance)
            case .deadlock: throw .deadlock(request, slot)
            case .wait(let waiter):
                if let instance = try outcome(of: waiter) { return .instance(instance) }
            case .make(let cell):
                do throws(InjectleError) {
                    guard let instance = try make(strand) else {
                        for waiter in holder.fail(cell) { waiter.finish(with: nil) }
                        return .gone
                    }
                    for waiter in holder.succeed(cell, with: instance) { waiter.finish(with: .success(instance)) }
                    return .instance(instance)
                } catch {
                    for waiter in holder.fail(cell) { waiter.finish(with: .failure(error)) }
                    throw error
                }
            }
        }
    }

    /// Enters a wait for `maker`, under the cell's lock, if that can end.
    ///
    /// - Parameter current: What this thread itself is making. Who makes nothing can wait for anyone.
    private func wait(for maker: Strand, as current: Strand?, in cell: Cell) -> Step {
        if let current, !current.begin(waitingFor: maker) { return .deadlock }
        let waiter = Cell.Waiter(strand: current, maker: maker)
        cell.state.enter(waiter)
        return .wait(waiter)
    }

    private static let makersOwn = [InjectleError.cancelled, InjectleError.wrongIsolation, InjectleError.tooDeep]

    /// What became of a making that was waited for. Nil if it is to be asked for again: where the maker failed by what
    /// it is, as by being cancelled, on the wrong actor or at the end of its stack, whoever waited may do better.
    private func outcome(of waiter: Cell.Waiter) throws(InjectleError) -> Instance? {
        MainActorDesk.wait(for: waiter)
        switch waiter.outcome {
        case .success(let instance): return instance
        case .failure(let error) where !Making.makersOwn.contains(error.code): throw error
        case .failure, nil: return nil
        }
    }

    /// Runs a user's code as part of this making, and wraps what it throws, once.
    private func reporting(as strand: Strand?, _ body: () throws -> Void) throws(InjectleError) {
        do {
            try Frame.run(slot: slot, core: maker, strand: strand, body)
        } catch {
            throw .making(slot, threw: error, askedBy: request)
        }
    }

    // MARK: Handed out

    private func handOut(_ made: Instance, into storage: UnsafeMutableRawPointer) throws(InjectleError) {
        if !record.isSendable, asking.isStrict, !isHere {
            throw .isolation(request, slot, waited: nil)
        }
        guard let form = made.cast(to: slot.identity.type) else {
            throw .wrongType(record, asked: slot.identity, request)
        }
        if record.lifetime.isShared { slot.core.keep(form, in: slot) }
        form.copy(to: storage)
    }
}

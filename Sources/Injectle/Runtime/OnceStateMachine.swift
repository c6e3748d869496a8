/// How one instance comes to be: the part of the creation cell that only decides.
///
/// A pure state machine. It holds no lock, runs no closure and wakes nobody: each call returns what its caller has to
/// do, after it has let go of whatever guards the state. Who makes, who waits and what is made are up to the user, so
/// that it serves threads that block and tasks that await, and is tested with neither.
///
/// ```text
///             ask → make                    succeed → wake(waiters)
///   idle ────────────────────▶ creation ──────────────────────────────▶ made
///    ▲                          │  ▲ ask → wait(for: maker)             │ ask → use(product)
///    │      fail → wake         │  │ enter, leave                       │
///    ├──────────────────────────┘                                       │
///    └──────────────────────────────────────────────────────────────────┘ discard → the product
/// ```
struct OnceStateMachine<Maker, Waiter: AnyObject, Product> {
    private enum Phase {
        case idle
        /// Once it is discarded, those who come are told to ask again.
        case creation(Maker, waiters: [Waiter], isDiscarded: Bool, others: [Waiter] = [])
        case made(Product)
    }

    private var phase = Phase.idle

    /// What somebody who wants the product has to do.
    enum Answer {
        /// Take it.
        case use(Product)
        /// Factory it, and then call `succeed` or `fail`. Nobody else is told to until then.
        case make
        /// Enter as a waiter of the one who makes it, unless that would never end.
        case wait(for: Maker)
    }

    init() {}

    /// The state of something that was given and not made.
    init(made product: Product) {
        phase = .made(product)
    }

    /// The product, if it is there.
    var product: Product? {
        guard case .made(let product) = phase else { return nil }
        return product
    }

    /// What asking would answer now. Claims nothing.
    var answer: Answer {
        switch phase {
        case .idle: .make
        case .creation(let creator, _, _, _): .wait(for: creator)
        case .made(let product): .use(product)
        }
    }

    /// Asks for the product. An answer of `make` claims the creation for `maker`.
    mutating func ask(as creator: Maker) -> Answer {
        let answer = answer
        if case .make = answer { phase = .creation(creator, waiters: [], isDiscarded: false) }
        return answer
    }

    /// Enters a waiter, who is returned by the `succeed` or `fail` that ends the creation.
    mutating func enter(_ waiter: Waiter) {
        guard case .creation(let creator, let waiters, let isDiscarded, let others) = phase else {
            preconditionFailure("Only a making in progress can be waited for.")
        }
        phase =
            isDiscarded
            ? .creation(creator, waiters: waiters, isDiscarded: true, others: others + [waiter])
            : .creation(creator, waiters: waiters + [waiter], isDiscarded: false)
    }

    /// Takes a waiter out, who then harms nobody and is told nothing. False if it was told already.
    mutating func leave(_ waiter: Waiter) -> Bool {
        guard case .creation(let creator, let waiters, let isDiscarded, let others) = phase,
            (waiters + others).contains(where: { $0 === waiter })
        else { return false }
        phase = .creation(
            creator,
            waiters: waiters.filter { $0 !== waiter },
            isDiscarded: isDiscarded,
            others: others.filter { $0 !== waiter }
        )
        return true
    }

    /// Ends the creation. Returns who waited, and whether the product was kept: it is not when it was discarded
    /// meanwhile, and then belongs to those who asked for it before. The others, who came after, are to ask again.
    mutating func succeed(with product: Product) -> (waiters: [Waiter], others: [Waiter], isKept: Bool) {
        guard case .creation(_, let waiters, let isDiscarded, let others) = phase else {
            preconditionFailure("Only a making in progress can succeed.")
        }
        phase = isDiscarded ? .idle : .made(product)
        return (waiters, others, !isDiscarded)
    }

    /// Ends the creation without a product: the next one who asks makes it. Returns who waited, and the others, who came
    /// after it was discarded and are to ask again.
    mutating func fail() -> (waiters: [Waiter], others: [Waiter]) {
        guard case .creation(_, let waiters, _, let others) = phase else {
            preconditionFailure("Only a making in progress can fail.")
        }
        phase = .idle
        return (waiters, others)
    }

    /// Drops the product, and one that is in the creation as soon as it is made. Returns what was there.
    mutating func discard() -> Product? {
        switch phase {
        case .idle:
            return nil
        case .creation(let creator, let waiters, _, let others):
            phase = .creation(creator, waiters: waiters, isDiscarded: true, others: others)
            return nil
        case .made(let product):
            phase = .idle
            return product
        }
    }
}

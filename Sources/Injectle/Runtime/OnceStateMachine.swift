/// Creates one product once: the part of a cell that only decides.
///
/// A pure state machine. It takes no lock, runs no closure and wakes nobody: each call returns what its caller has to do
/// after releasing the lock that guards the state. The creators, waiters and products are the caller's, so that the
/// machine serves threads that block and tasks that await, and is tested without either.
///
/// ```text
///             ask → make                     succeed → wake(waiters)
///   idle ────────────────────▶ creation ──────────────────────────────▶ made
///    ▲                          │  ▲ ask → wait(for: creator)           │ ask → use(product)
///    │      fail → wake         │  │ enter, leave                       │
///    ├──────────────────────────┘                                       │
///    └──────────────────────────────────────────────────────────────────┘ discard → the product
/// ```
struct OnceStateMachine<Creator: AnyObject, Waiter: AnyObject, Product: AnyObject> {
    /// The phase, whose layout does not depend on the types, so that releasing a cell looks up no metadata.
    private var phase = OncePhase.idle

    /// What a caller that needs the product has to do.
    enum Answer {
        /// Use it.
        case use(Product)
        /// Create it, and then call `succeed` or `fail`. No other caller receives this answer before.
        case make
        /// Enter as a waiter for its creator, unless that wait would never end.
        case wait(for: Creator)
    }

    /// The result of a creation.
    struct Ended {
        /// The waiters that receive the product or the failure.
        let waiters: [Waiter]
        /// The waiters that have to ask again, because they entered after the creation was discarded.
        let others: [Waiter]
        /// Whether the state has the product.
        let isKept: Bool
    }

    init() {}

    /// The state of a product that exists already.
    init(made product: Product) {
        phase = .made(product)
    }

    // Sound: only the functions below store objects in a phase, each of the type that its case is for.

    private func product(_ object: AnyObject) -> Product { unsafe unsafeDowncast(object, to: Product.self) }
    private func creator(_ object: AnyObject) -> Creator { unsafe unsafeDowncast(object, to: Creator.self) }
    private func waiters(_ objects: [AnyObject]) -> [Waiter] {
        // Nobody waits for most creations.
        objects.isEmpty ? [] : objects.map { unsafe unsafeDowncast($0, to: Waiter.self) }
    }

    /// The product, if it exists.
    var product: Product? {
        guard case .made(let object) = phase else { return nil }
        return product(object)
    }

    /// The answer that `ask` would return now. Claims nothing.
    var answer: Answer {
        switch phase {
        case .idle: .make
        case .creation(let object, _, _, _): .wait(for: creator(object))
        case .made(let object): .use(product(object))
        }
    }

    /// Asks for the product. The answer `make` claims the creation for `creator`.
    mutating func ask(as creator: Creator) -> Answer {
        let answer = answer
        if case .make = answer { phase = .creation(creator, waiters: []) }
        return answer
    }

    /// Adds a waiter, which the `succeed` or `fail` that ends the creation returns.
    mutating func enter(_ waiter: Waiter) {
        guard case .creation(let creator, var waiters, let isDiscarded, var latecomers) = phase else {
            preconditionFailure("Waiting requires a creation in progress.")
        }
        if isDiscarded { latecomers.append(waiter) } else { waiters.append(waiter) }
        phase = .creation(creator, waiters: waiters, isDiscarded: isDiscarded, latecomers: latecomers)
    }

    /// Removes a waiter. Returns false if the creation has ended, and has returned it.
    mutating func leave(_ waiter: Waiter) -> Bool {
        guard case .creation(let creator, var waiters, let isDiscarded, var latecomers) = phase else { return false }
        let count = waiters.count + latecomers.count
        waiters.removeAll { $0 === waiter }
        latecomers.removeAll { $0 === waiter }
        phase = .creation(creator, waiters: waiters, isDiscarded: isDiscarded, latecomers: latecomers)
        return waiters.count + latecomers.count < count
    }

    /// Ends the creation with a product. If the creation was discarded meanwhile, the product belongs to the waiters that
    /// entered before, and the state does not keep it.
    mutating func succeed(with product: Product) -> Ended {
        let ended = end(with: product)
        if ended.isKept { phase = .made(product) }
        return ended
    }

    /// Ends the creation without a product: the next caller that asks creates it.
    mutating func fail() -> Ended { end(with: nil) }

    private mutating func end(with product: Product?) -> Ended {
        guard case .creation(_, let waiters, let isDiscarded, let latecomers) = phase else {
            preconditionFailure("Only a creation in progress can end.")
        }
        phase = .idle
        return Ended(
            waiters: self.waiters(waiters),
            others: self.waiters(latecomers),
            isKept: product != nil && !isDiscarded
        )
    }

    /// Discards the product, or marks a creation in progress so that its product is discarded. Returns the product that
    /// existed.
    mutating func discard() -> Product? {
        switch phase {
        case .idle:
            return nil
        case .creation(let creator, let waiters, _, let latecomers):
            phase = .creation(creator, waiters: waiters, isDiscarded: true, latecomers: latecomers)
            return nil
        case .made(let object):
            phase = .idle
            return product(object)
        }
    }
}

private enum OncePhase {
    case idle
    /// `latecomers` entered after the creation was discarded.
    case creation(AnyObject, waiters: [AnyObject], isDiscarded: Bool = false, latecomers: [AnyObject] = [])
    case made(AnyObject)
}

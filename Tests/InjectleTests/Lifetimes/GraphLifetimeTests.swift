import Injectle
import InjectleTestSupport
import Testing

private final class Transaction: Sendable {
    let number: Int
    let tracked: Tracked

    init(_ number: Int, _ log: Tracked.Log) {
        self.number = number
        tracked = Tracked(log)
    }
}

private struct Payment: Sendable {
    let transaction: Transaction
}

private struct Receipt: Sendable {
    let transaction: Transaction
}

private struct Order: Sendable {
    let payment: Payment
    let receipt: Receipt
    let transaction: Transaction

    var transactions: Set<Int> { [payment.transaction.number, receipt.transaction.number, transaction.number] }
}

/// Reads its property in its initializer.
private final class Ledger: Sendable {
    let transaction = Inject<Transaction>()
    let first: Int
    init() { first = transaction().number }
}

private struct Config: Sendable {
    let name: String
}

private struct Session: Sendable {
    let config: Config
}

private struct Broken: Error {}

private protocol Step: Sendable {
    var transaction: Transaction { get }
}

private struct Pay: Step {
    let transaction: Transaction
}

private struct Ship: Step {
    let transaction: Transaction
}

/// One instance per outermost resolve.
@Suite struct GraphLifetimeTests {
    private let locator = Locator("graph")
    private let log = Tracked.Log()
    private let count = Counter()

    init() {
        locator.register(.lazy { [log, count] in Transaction(count.increment(), log) }.lifetime(.graph))
        locator.register(.volatile { locator in Payment(transaction: try locator.resolve()) })
        locator.register(.initializer(Receipt.init).lifetime(.volatile))
        locator.register(.initializer(Order.init).lifetime(.volatile))
    }

    @Test func `One resolve shares one graph instance`() throws {
        for number in 1...3 {
            #expect(try locator.resolve(Order.self).transactions == [number])
        }
    }

    @Test func `Nested resolves inside a factory share the instance`() throws {
        struct Batch { let orders: [Order] }
        locator.register(
            .volatile { [locator] resolver in
                // By the resolver and by the locator itself.
                Batch(orders: [try resolver.resolve(), try { try locator.resolve() }()])
            }
        )
        let batch = try locator.resolve(Batch.self)
        #expect(batch.orders.map(\.transactions) == [[1], [1]])
    }

    @Test func `Elements of a list share the graph instance`() throws {
        locator.register(.initializer(Pay.init).lifetime(.volatile).contributing(to: (any Step).self))
        locator.register(
            .volatile { locator in Ship(transaction: try locator.resolve()) }.contributing(to: (any Step).self)
        )
        #expect(try locator.resolveAll((any Step).self).map(\.transaction.number) == [1, 1])
        #expect(try locator.resolve([any Step].self).map(\.transaction.number) == [2, 2])
        struct Plan { let steps: [any Step], order: Order }
        locator.register(.initializer(Plan.init).lifetime(.volatile))
        let plan = try locator.resolve(Plan.self)
        #expect(plan.steps.map(\.transaction.number) == [3, 3])
        #expect(plan.order.transactions == [3])
    }

    @Test func `The graph instance is freed when its resolve returns`() throws {
        struct Total { let alive: Int }
        locator.register(
            .volatile { [log] locator in
                _ = try locator.resolve(Order.self)
                return Total(alive: log.alive)
            }
        )
        #expect(try locator.resolve(Total.self).alive == 1)
        #expect(log.alive == 0)
        do {
            let order = try locator.resolve(Order.self)
            #expect(log.alive == 1)
            withExtendedLifetime(order) {}
        }
        #expect(log.alive == 0)
        #expect(log.created == 2)
    }

    @Test func `The graph instance is freed when its resolve throws`() {
        locator.register(
            .volatile { (locator) throws -> Int in
                _ = try locator.resolve(Order.self)
                throw Broken()
            }
        )
        let error = #expect(throws: InjectleError.self) { try locator.resolve(Int.self) }
        #expect(error?.underlying is Broken)
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    @Test func `A failed graph factory runs again in the same resolve`() throws {
        struct Flaky: Sendable { let number: Int }
        let attempts = Counter()
        locator.register(
            .lazy { () throws -> Flaky in
                if attempts.increment() == 1 { throw Broken() }
                return Flaky(number: attempts.value)
            }.lifetime(.graph)
        )
        locator.register(
            .volatile { locator in
                [try? locator.resolve(Flaky.self), try locator.resolve(), try locator.resolve()].compactMap {
                    $0?.number
                }
            }
        )
        #expect(try locator.resolve([Int].self) == [2, 2])
    }

    @Test func `Resolves on two threads never share a graph instance`() async {
        struct Slow: Sendable { let before: Transaction, after: Transaction }
        let both = Barrier(2)
        locator.register(
            .volatile(.anywhere) { locator in
                let before = try locator.resolve(Transaction.self)
                both.wait()
                return Slow(before: before, after: try locator.resolve())
            }
        )
        let locator = locator
        let numbers = Guarded<[[Int]]>([])
        await onThreadsAsync(2) { _ in
            let slow = try? locator.resolve(Slow.self)
            numbers.withLock { $0.append(slow.map { [$0.before.number, $0.after.number] } ?? []) }
        }
        #expect(Set(numbers.value) == [[1, 1], [2, 2]])
    }

    @Test func `A property read during the resolve keeps its graph instance`() throws {
        struct Book { let ledger: Ledger, transaction: Transaction }
        locator.register(.volatile { Ledger() })
        locator.register(.initializer(Book.init).lifetime(.volatile))
        let book = try locator.resolve(Book.self)
        #expect(book.ledger.first == 1)
        #expect(book.transaction.number == 1)
        for _ in 0..<3 { #expect(book.ledger.transaction() === book.transaction) }
        #expect(count.value == 1)
    }

    @Test func `A property read after the resolve gets its own instance`() throws {
        final class Later: Sendable { let transaction = Inject<Transaction>() }
        locator.register(.volatile { locator in (Later(), try locator.resolve(Transaction.self)) })
        let (later, transaction) = try locator.resolve((Later, Transaction).self)
        #expect(later.transaction() !== transaction)
        #expect(later.transaction() === later.transaction())
        #expect(count.value == 2)
    }

    @Test func `A lazy service keeps the graph instance of its creation`() throws {
        final class Register: Sendable {
            let transaction: Transaction
            init(_ transaction: Transaction) { self.transaction = transaction }
        }
        struct Shop { let register: Register, order: Order }
        locator.register(.initializer(Register.init))
        locator.register(.initializer(Shop.init).lifetime(.volatile))
        let shop = try locator.resolve(Shop.self)
        #expect(shop.register.transaction === shop.order.transaction)
        let second = try locator.resolve(Shop.self)
        #expect(second.register === shop.register)
        #expect(second.register.transaction.number == 1)
        #expect(second.order.transactions == [2])
    }

    @Test func `A cycle through a parent's lazy service is detected in a child`() {
        locator.register(.lazy { locator in Int8(try locator.resolve(Int16.self)) }.lifetime(.graph))
        locator.register(.lazy { locator in Int16(try locator.resolve(Int8.self)) })
        let child = locator.child()
        child.register(.volatile { locator in Int32(try locator.resolve(Int8.self)) })
        // Both creations run on one thread, so this is a cycle and no deadlock.
        let error = #expect(throws: InjectleError.self) { try child.resolve(Int32.self) }
        #expect(error == .circularDependency)
        #expect(error?.description.contains("Int32 → Int8 → Int16 → Int8 → Int16") == true)
    }

    @Test func `Other arguments yield another graph instance`() throws {
        struct Page: Sendable { let number: Int, serial: Int }
        locator.register(
            .lazy { [count] (_, number: Int) in Page(number: number, serial: count.increment()) }.lifetime(.graph)
        )
        locator.register(
            .volatile { locator in
                try [1, 2, 1, 2].map { try locator.resolve(Page.self, arguments: $0) }.flatMap {
                    [$0.number, $0.serial]
                }
            }
        )
        #expect(try locator.resolve([Int].self) == [1, 1, 2, 2, 1, 1, 2, 2])
        #expect(try locator.resolve([Int].self) == [1, 3, 2, 4, 1, 3, 2, 4])
    }

    @Test func `Hooks share the graph instance`() throws {
        locator.register(
            .volatile { locator in [try locator.resolve(Transaction.self).number] }
                .afterInit { locator, numbers in numbers.append(try locator.resolve(Transaction.self).number) }
        )
        #expect(try locator.resolve([Int].self) == [1, 1])
    }

    @Test func `A main actor dependency shares the graph instance`() async {
        let locator = Locator(parent: locator, mainActorTimeout: .seconds(600))
        locator.register(.volatile(.main) { locator in try locator.resolve(Transaction.self).number })
        locator.register(
            .volatile(.anywhere) { locator in
                [try locator.resolve(Transaction.self).number, try locator.resolve(), try locator.resolve()]
            }
        )
        #expect(await onAnotherThread { try? locator.resolve([Int].self) } == [1, 1, 1])
        #expect(await onAnotherThread { try? locator.resolve([Int].self) } == [2, 2, 2])
    }

    @Test func `A custom lifetime resolves outside the graph of its service`() throws {
        struct ByTransaction: Locator.CustomLifetime {
            let seen: Guarded<[Int]>
            func scope(for resolver: Locator.Resolver) throws -> Locator.Scope? {
                let number = try resolver.resolve(Transaction.self).number
                seen.withLock { $0.append(number) }
                return nil
            }
        }
        let seen = Guarded<[Int]>([])
        locator.register(
            .lazy { locator in [try locator.resolve(Transaction.self).number] }.lifetime(ByTransaction(seen: seen))
        )
        // The lifetime is evaluated before the outermost creation starts.
        #expect(try locator.resolve([Int].self) == [2])
        #expect(seen.value == [1])
    }

    // MARK: Several locators

    @Test func `Another locator has its own graph instance`() throws {
        let other = Locator("other")
        other.register(.lazy { [log] in Transaction(100, log) }.lifetime(.graph))
        other.register(.volatile { locator in Payment(transaction: try locator.resolve()) })
        locator.register(
            .volatile { locator in
                let numbers = [try other.resolve(Payment.self), try locator.resolve(), try other.resolve()]
                return numbers.map(\.transaction.number) + [try other.resolve(Transaction.self).number]
            }
        )
        #expect(try locator.resolve([Int].self) == [100, 1, 100, 100])
        // The other locator takes part in the same outermost resolve.
        #expect(log.created == 2)
        #expect(log.alive == 0)
    }

    @Test func `A child and its parent have separate graph instances`() throws {
        let child = locator.child()
        child.register(.volatile { [locator] child in [try child.resolve(Payment.self), try locator.resolve()] })
        #expect(try child.resolve([Payment].self).map(\.transaction.number) == [1, 2])
    }

    @Test func `A lazy service of a parent ignores the child's graph instance`() throws {
        locator.register(.eager(Config(name: "parent")))
        locator.register(.initializer(Session.init).lifetime(.graph))
        struct Server: Sendable { let session: Session }
        locator.register(.initializer(Server.init))
        struct Window: Sendable { let session: Session, server: Server }
        locator.register(.initializer(Window.init).lifetime(.volatile))
        let child = locator.child()
        child.register(.eager(Config(name: "child")))
        let window = try child.resolve(Window.self)
        #expect(window.session.config.name == "child")
        // The registering locator creates a lazy service and provides its dependencies.
        #expect(window.server.session.config.name == "parent")
    }

    @Test func `Successive children never share a graph instance`() throws {
        locator.register(.lazy { locator in Session(config: try locator.resolve()) }.lifetime(.graph))
        locator.register(
            .volatile { locator in
                try (0..<20).map { number in
                    // The child is released, so that the next one may reuse its address.
                    let child = locator.child { $0.register(.eager(Config(name: "\(number)"))) }
                    return try child.resolve(Session.self).config.name
                }
            }
        )
        #expect(try locator.resolve([String].self) == (0..<20).map { "\($0)" })
    }

    @Test func `A registration that replaces another during a resolve has its own graph instance`() throws {
        locator.register(
            .volatile { [log, count, locator] resolver in
                let before = try resolver.resolve(Transaction.self).number
                locator.register(.lazy { Transaction(count.increment(), log) }.lifetime(.graph))
                return [before] + [
                    try resolver.resolve(Transaction.self).number, try resolver.resolve(Transaction.self).number,
                ]
            }
        )
        #expect(try locator.resolve([Int].self) == [1, 2, 2])
        #expect(log.alive == 0)
    }

    @Test func `A graph instance that requests itself in vain is shared nevertheless`() throws {
        locator.register(
            .lazy { [log, count] locator in
                // By different paths: the closure, an optional, a property.
                #expect(throws: InjectleError.self) { try locator.resolve(Transaction.self) }
                #expect(throws: InjectleError.self) { try locator.resolveOptional(Transaction.self, key: Int?.none) }
                return Transaction(count.increment(), log)
            }
            .lifetime(.graph)
        )
        locator.register(
            .volatile { locator in
                let first = try locator.resolve(Transaction.self).number
                return [first, try locator.resolve(Ledger.self).first, try locator.resolve(Transaction.self).number]
            }
        )
        locator.register(.volatile { Ledger() })
        #expect(try locator.resolve([Int].self) == [1, 1, 1])
    }

    @Test func `A graph instance can resolve others when it is released`() throws {
        final class Batch: Sendable {
            let locator: Locator
            let numbers: Counter
            init(_ locator: Locator, _ numbers: Counter) { (self.locator, self.numbers) = (locator, numbers) }
            deinit { if (try? locator.resolve(Order.self).transactions.count) == 1 { numbers.increment() } }
        }
        let ended = Counter()
        locator.register(.lazy { [locator] in Batch(locator, ended) }.lifetime(.graph))
        locator.register(
            .volatile { locator in
                let first: Batch = try locator.resolve()
                return try locator.resolve(Batch.self) === first
            }
        )
        #expect(try locator.resolve(Bool.self))
        #expect(ended.value == 1)
        #expect(log.alive == 0)
    }
}

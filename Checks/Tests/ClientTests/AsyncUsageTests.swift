// Each form of registration with an async closure. The same file is compiled in Swift 6, in Swift 5, and in a module
// whose default isolation is the main actor.

import Injectle
import InjectleTestSupport
import Testing

/// Not `Sendable`, and nonisolated.
nonisolated final class Ledger {
    let lines: Int
    init(lines: Int = 0) { self.lines = lines }
    init(reading name: String) async throws { lines = name.count }
    init(ledger: Account, other: Account?) async throws { lines = ledger.number + (other?.number ?? 0) }
}

nonisolated struct Account: Sendable {
    let number: Int
    init(number: Int) { self.number = number }
    init(vault: Vault, name: String?) async throws { number = await vault.count() + (name?.count ?? 0) }

    static func fetch() async throws -> Account { Account(number: 1) }
    static func fetch(_ locator: Locator.Resolver) async throws -> Account {
        Account(number: try await locator.resolveAsync())
    }
}

actor Vault {
    private var coins: Int
    init(coins: Int = 7) { self.coins = coins }
    init(counting coins: Int) async { self.coins = coins }
    func count() -> Int { coins }
}

@MainActor final class Window {
    let title: String
    init(title: String = "window") { self.title = title }
    init(loading title: String) async throws {
        MainActor.preconditionIsolated()
        self.title = title
    }
    init(account: Account) async throws {
        MainActor.preconditionIsolated()
        title = "\(account.number)"
    }
}

nonisolated func loadTitle() async throws -> String { "title" }

@Suite @MainActor struct AsyncUsageTests {
    private let locator = Locator()

    @Test func `lazy and volatile accept async closures`() async throws {
        // `Sendable` or not, with and without a resolver.
        locator.register(.lazy { try await Account.fetch() })
        locator.register(.lazy { try await Ledger(reading: "four") })
        locator.register(
            .lazy { locator in await Vault(counting: try await locator.resolveAsync(Account.self).number) }
        )
        locator.register(
            .volatile { (locator, lines: Int) in
                let account: Account = try await locator.resolveAsync()
                return Ledger(lines: lines + account.number)
            }
        )
        // On any thread.
        locator.register(.lazy(.anywhere) { try await Account.fetch() }, key: "anywhere")
        locator.register(.lazy(.anywhere) { try await Ledger(reading: "five!") }, key: "anywhere")
        locator.register(
            .volatile(.anywhere) { (_, number: Int) in await Vault(counting: number) },
            key: "anywhere"
        )
        locator.register(
            .volatile(.anywhere) { (locator, name: String) in
                _ = try await locator.resolveAsync(Account.self)
                return try await Ledger(reading: name)
            },
            key: "made"
        )
        // On the main actor.
        locator.register(.lazy(.main) { try await Window(loading: "main") })
        locator.register(.lazy(.main) { try await Ledger(reading: "main") }, key: "main")
        locator.register(
            .volatile(.main) { (_, title: String) in try await Window(loading: title) },
            key: "made"
        )
        locator.register(
            .lazy(.main) { (_, title: String) in try await Window(loading: title) }.lifetime(.perArgument),
            key: "kept"
        )
        locator.register(
            .volatile(.main) { (locator, lines: Int) in
                let title = try await locator.resolveAsync(Window.self).title
                return Ledger(lines: lines + title.count)
            },
            key: "main, made"
        )

        let ledger: Ledger = try await locator.resolveAsync()
        #expect(ledger.lines == 4)
        #expect(try locator.resolve(Ledger.self) === ledger)
        #expect(try await locator.resolveAsync(Vault.self).count() == 1)
        #expect(try await locator.resolveAsync(Ledger.self, arguments: 2).lines == 3)
        #expect(try await locator.resolveAsync(Account.self, key: "anywhere").number == 1)
        #expect(try await locator.resolveAsync(Ledger.self, key: "anywhere").lines == 5)
        #expect(try await locator.resolveAsync(Vault.self, key: "anywhere", arguments: 3).count() == 3)
        #expect(try await locator.resolveAsync(Ledger.self, key: "made", arguments: "abc").lines == 3)
        #expect(try await locator.resolveAsync(Window.self).title == "main")
        #expect(try await locator.resolveAsync(Ledger.self, key: "main").lines == 4)
        #expect(try await locator.resolveAsync(Window.self, key: "made", arguments: "a").title == "a")
        #expect(try await locator.resolveAsync(Window.self, key: "kept", arguments: "b").title == "b")
        #expect(try await locator.resolveAsync(Ledger.self, key: "main, made", arguments: 1).lines == 5)
    }

    @Test func `Initializers may be async`() async throws {
        locator.register(.lazy { await Vault(counting: 2) })
        locator.register(.eager("abc"))
        locator.register(.initializer(Account.init(vault:name:)))
        locator.register(.initializer(Ledger.init(ledger:other:)))
        locator.register(
            .initializer(.anywhere, { try await Account(vault: $0, name: $1) }).lifetime(.volatile),
            key: "anywhere"
        )
        locator.register(
            .initializer(.anywhere, { try await Ledger(ledger: $0, other: $1) }).lifetime(.weak),
            key: "anywhere"
        )
        locator.register(.initializer(.main, { try await Window(account: $0) }))
        locator.register(
            .initializer(.main, { (account: Account) in try await Ledger(ledger: account, other: nil) }).lifetime(
                .perLocator
            ),
            key: "main"
        )
        #expect(try await locator.resolveAsync(Account.self).number == 5)
        #expect(try await locator.resolveAsync(Ledger.self).lines == 10)
        #expect(try await locator.resolveAsync(Account.self, key: "anywhere").number == 5)
        #expect(try await locator.resolveAsync(Ledger.self, key: "anywhere").lines == 10)
        #expect(try await locator.resolveAsync(Window.self).title == "5")
        #expect(try await locator.resolveAsync(Ledger.self, key: "main").lines == 5)
    }

    @Test func `Function references replace closures`() async throws {
        locator.register(.lazy(loadTitle))
        locator.register(.lazy(loadTitle).lifetime(.perLocator), key: "per locator")
        locator.register(.eager(3))
        locator.register(.lazy(Account.fetch(_:)))
        #expect(try await locator.resolveAsync(String.self) == "title")
        #expect(try await locator.resolveAsync(String.self, key: "per locator") == "title")
        #expect(try await locator.resolveAsync(Account.self).number == 3)
    }

    @Test func `Every async call compiles and resolves`() async throws {
        locator.register(.lazy { try await Account.fetch() }.contributing(to: Account.self).asSelf())
        locator.register(.volatile { (_, lines: Int) in try await Ledger(reading: "\(lines)") })
        let account: Account? = try await locator.resolveAsync()
        #expect(account?.number == 1)
        #expect(try await locator.resolveOptionalAsync(Vault.self) == nil)
        #expect(try await locator.resolveAllAsync(Account.self).count == 1)
        let accounts: [Account] = try await locator.resolveAsync()
        #expect(accounts.count == 1)
        let ledgers = try await locator.resolveAsync(Locator.Provider<Ledger>.self)
        #expect(try await ledgers.resolveAsync(12).lines == 2)
        let lazy: Locator.Lazy<Account> = try await locator.resolveAsync()
        #expect(try await lazy.resolveAsync().number == 1)
        #expect(isAsynchronous { _ = try locator.resolve(Ledger.self, arguments: 1) })
    }

    private func isAsynchronous(_ body: () throws -> Void) -> Bool {
        do {
            try body()
            return false
        } catch InjectleError.requiresAsync {
            return true
        } catch {
            return false
        }
    }
}

import Injectle
import InjectleTestSupport
import Testing

private struct Config: Sendable {
    let origin = "InjectleTests"
}

private struct Box<Content>: Sendable {
    let name: String
}

private struct User: Sendable {
    let name: String
}

private protocol Shape {}

/// An identity is the type itself and the key, never the type's name.
@Suite struct IdentityTests {
    private let locator = Locator("identity")

    @Test func `Equally named types of two modules are distinct`() throws {
        locator.register(.eager(Config()))
        locator.register(.eager(InjectleTestSupport.Config()))
        #expect(try locator.resolve(Config.self).origin == "InjectleTests")
        #expect(try locator.resolve(InjectleTestSupport.Config.self).origin == "InjectleTestSupport")
    }

    @Test func `Specializations of a generic type are distinct`() throws {
        locator.register(.eager(Box<User>(name: "box of user")))
        locator.register(.eager(Box<Int>(name: "box of int")))
        locator.register(.eager(User(name: "user")))
        #expect(try locator.resolve(Box<User>.self).name == "box of user")
        #expect(try locator.resolve(Box<Int>.self).name == "box of int")
        #expect(try locator.resolve(User.self).name == "user")
        #expect(!locator.isRegistered(Box<String>.self))
    }

    @Test func `Registering an optional registers its wrapped type`() throws {
        locator.register(.eager(Optional(User(name: "wrapped"))))
        #expect(try locator.resolve(User.self).name == "wrapped")
    }

    @Test func `Resolving an optional is nil only if nothing is registered`() throws {
        #expect(try locator.resolve(User?.self) == nil as User?)
        #expect(try locator.resolve(User?.self, key: "key") == nil as User?)
        locator.register(.eager(User(name: "keyed")), key: "key")
        locator.register(.volatile { User(name: "plain") })
        #expect(try locator.resolve(User?.self)?.name == "plain")
        #expect(try locator.resolve(User?.self, key: "key")?.name == "keyed")
        #expect(try locator.resolve(User??.self)??.name == "plain")
    }

    @Test func `Optionals of every kind are recognized`() {
        func isWrapped<Service>(_: Service.Type) -> Bool {
            Locator.Identity(Service?.self).type == Service.self
                && Locator.Identity(Service??.self).type == Service.self
                && Locator.Identity(Service.self).type == Service.self
        }
        #expect(isWrapped(Int.self))
        #expect(isWrapped(User.self))
        #expect(isWrapped((any Shape).self))
        #expect(isWrapped(Box<Int>.self))
        #expect(isWrapped((Int, String).self))
        #expect(isWrapped((() -> Int).self))
        #expect(isWrapped(Any.self))
        #expect(isWrapped(Int.Type.self))
        #expect(isWrapped(Result<Int?, any Error>.self))
    }

    @Test func `Identities are equal by type and key`() {
        #expect(Locator.Identity(User.self) == Locator.Identity(User?.self))
        #expect(Locator.Identity(User.self, key: "a") == Locator.Identity(User.self, key: "a"))
        #expect(Locator.Identity(User.self, key: "a") != Locator.Identity(User.self, key: "b"))
        #expect(Locator.Identity(User.self, key: "a") != Locator.Identity(Config.self, key: "a"))
        #expect(
            Set([Locator.Identity(User.self), Locator.Identity(User.self), Locator.Identity(Config.self)]).count == 2
        )
    }

    @Test func `Identities are printed as in code`() {
        #expect(Locator.Identity((any Shape).self).description == "any InjectleTests.Shape")
        #expect(Locator.Identity(Box<Int>.self, key: "a").description == "InjectleTests.Box<Int> under the key \"a\"")
        #expect(Locator.Identity(Int.self, key: 7).description == "Int under the key Int.7")
    }

    @Test func `At most 32 characters of a key are printed`() {
        let secret = "sk-" + String(repeating: "0123456789", count: 10)
        let start = "sk-01234567890123456789012345678…"
        #expect(Locator.Identity(Int.self, key: secret).description == "Int under the key \"\(start)\"")
        #expect(Locator.Identity(Int.self, key: secret.prefix(32)).description.hasSuffix(".\(secret.prefix(32))"))
        struct Token: Hashable { let text: String }
        enum Credential: Hashable { case bearer(Token) }
        let token = Locator.Identity(Int.self, key: Token(text: secret)).description
        let credential = Locator.Identity(Int.self, key: Credential.bearer(Token(text: secret))).description
        for description in [token, credential] {
            #expect(description.hasSuffix("…"))
            #expect(!description.contains(secret.prefix(33)))
        }
        #expect(credential.hasPrefix("Int under the key InjectleTests.IdentityTests.Credential.bearer("))
    }
}

extension User: Equatable {}

/// Identities that the library reports: in `registrations`, events, errors and checks.
@Suite struct ReportedIdentityTests {
    private let locator = Locator("identity")
    private let plain = Locator.Identity(User.self)
    private let keyed = Locator.Identity(User.self, key: "key")

    /// Registers a service that declares arguments, and one that contributes to a list, each with and without a key.
    private func register() {
        locator.register(.volatile { (_, name: String) in User(name: name) })
        locator.register(.volatile { (_, name: String) in User(name: name) }, key: "key")
        locator.register(.eager(User(name: "")).contributing(to: User.self))
        locator.register(.eager(User(name: "")).contributing(to: User.self, key: "key"))
    }

    @Test func `Arguments and lists do not change a reported identity`() {
        let collector = EventCollector()
        locator.add(collector)
        register()
        let expected = [plain, keyed, plain, keyed]
        #expect(locator.registrations.map(\.identity) == expected)
        #expect(Set(locator.registrations.map(\.identity)) == [plain, keyed])
        #expect(collector.identities(.didRegister) == expected)
        locator.reset()
        #expect(Set(collector.identities(.didUnregister)) == [plain, keyed])
    }

    @Test func `The path of an error has plain identities`() {
        locator.register(.volatile { (locator, name: String) in User(name: try locator.resolve(key: name)) })
        let error = thrown { try locator.resolve(User.self, arguments: "missing") }
        #expect(error?.path == [plain])
        locator.register(.lazy { locator in User(name: try locator.resolve()) }.contributing(to: User.self))
        #expect(thrown { try locator.resolveAll(User.self) }?.path.last == plain)
    }

    @Test func `A service that is also in its list stays there when another one replaces it`() throws {
        let first: Locator.Registration<User> = .lazy { User(name: "first") }
        locator.register(first.contributing(to: User.self, key: "key").as(User.self, key: "key"))
        #expect(try locator.resolve(User.self, key: "key").name == "first")
        locator.register(.lazy { User(name: "second") }, key: "key")
        #expect(try locator.resolve(User.self, key: "key").name == "second")
        #expect(try locator.resolveAll(User.self, key: "key").map(\.name) == ["first"])
    }

    @Test func `A request with other arguments of what is being created is a circle where the cell has none`() {
        locator.register(
            .lazy { locator in User(name: try locator.resolve()) }.lifetime(.composite(.perLocator, .volatile))
        )
        locator.register(.lazy { locator in try locator.resolve(User.self, arguments: 0).name })
        let error = thrown { try locator.resolve(User.self) }
        #expect(error == .circularDependency)
        #expect(error?.path.first == plain)
    }

    @Test func `A circular dependency over declared arguments is printed whole`() {
        locator.register(.volatile { (locator, name: String) in try locator.resolve(User.self) })
        locator.register(.lazy { locator in try locator.resolve(User.self, arguments: "again") })
        let error = thrown { try locator.resolve(User.self) }
        #expect(error == .circularDependency)
        #expect(error?.path == [plain, plain])
        let user = "InjectleTests.User"
        #expect(error?.description.contains("dependency: \(user) → \(user) → \(user)\n") == true)
    }

    @Test func `A missing service of an optional type is nil`() async throws {
        #expect(try locator.resolveOptional(User?.self) == .none)
        #expect(try await locator.resolveOptionalAsync(User?.self) == .none)
        locator.register(.eager(User(name: "Ada")))
        #expect(try locator.resolveOptional(User?.self)??.name == "Ada")
        #expect(try await locator.resolveOptionalAsync(User?.self)??.name == "Ada")
    }
}

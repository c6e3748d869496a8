import Injectle
import InjectleTestSupport
import Testing

private struct Engine: Sendable { let number: Int }

/// Stores its resolver.
private final class Session: Sendable {
    let resolver: Locator.Resolver
    init(resolver: Locator.Resolver) { self.resolver = resolver }
}

private final class Screen {
    @Inject var resolver: Locator.Resolver
    @Optject var optional: Locator.Resolver?
}

private struct Refusal: Error {}

/// Resolvers: later use, children and arguments.
@Suite struct ResolverTests {
    private let locator = Locator("resolvers")

    private func session() throws -> Session {
        locator.register(.lazy { Session(resolver: $0) })
        return try locator.resolve(Session.self)
    }

    // MARK: Retained resolvers

    @Test func `A retained resolver resolves later registrations`() throws {
        let session = try session()
        #expect(try session.resolver.resolveOptional(Engine.self) == nil)
        locator.register(.eager(Engine(number: 1)))
        locator.register(.eager(Engine(number: 2)), key: "key")
        locator.register(.volatile { (_, number: Int) in Engine(number: number) })
        locator.register(.lazy { Engine(number: 4) }.contributing(to: Engine.self))
        #expect(try session.resolver.resolve(Engine.self).number == 1)
        #expect(try session.resolver.resolve(Engine.self, key: "key").number == 2)
        #expect(try session.resolver.resolve(Engine.self, arguments: 3).number == 3)
        #expect(try session.resolver.resolveOptional(Engine.self, arguments: 3)?.number == 3)
        #expect(try session.resolver.resolveAll(Engine.self).map(\.number) == [4])
    }

    @Test func `A resolver is available like a service`() throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.initializer(Session.init))
        let screen = Locator.$shared.withValue(locator) { Screen() }
        let resolvers = [
            locator.resolver,
            try locator.resolve(Locator.Resolver.self),
            try locator.resolve(Session.self).resolver,
            screen.resolver,
            try #require(screen.optional),
        ]
        for resolver in resolvers {
            #expect(resolver.isValid)
            #expect(try resolver.resolve(Engine.self).number == 1)
        }
    }

    @Test func `A resolver throws after its locator is released`() throws {
        let log = Tracked.Log()
        let session = try {
            let locator = Locator()
            locator.register(.lazy { Tracked(log) })
            locator.register(.lazy { Session(resolver: $0) })
            _ = try locator.resolve(Tracked.self)
            let session = try locator.resolve(Session.self)
            #expect(session.resolver.isValid)
            return session
        }()
        // The resolver did not retain its locator.
        #expect(log.created == 1)
        #expect(log.alive == 0)
        let resolver = session.resolver
        #expect(!resolver.isValid)
        let codes = [
            thrown { _ = try resolver.resolve(Tracked.self) },
            thrown { _ = try resolver.resolve(Tracked.self, key: "key") },
            thrown { _ = try resolver.resolve(Tracked?.self) },
            thrown { _ = try resolver.resolveOptional(Tracked.self) },
            thrown { _ = try resolver.resolve(Tracked.self, arguments: 7) },
            thrown { _ = try resolver.resolveAll(Tracked.self) },
        ]
        #expect(codes.allSatisfy { $0 == .locatorClosed })
    }

    // MARK: Children

    @Test func `A child of a resolver throws after its parent is released`() throws {
        let (child, resolver) = {
            let locator = Locator("parent")
            locator.register(.lazy { Engine(number: 1) })
            // It does not retain the locator.
            let resolver = locator.resolver
            return (resolver.child("before"), resolver)
        }()
        for child in [child, resolver.child("after"), child.child().child()] {
            child.register(.lazy { "own" })
            let codes = [
                thrown { _ = try child.resolve(Engine.self) },
                thrown { _ = try child.resolve(Engine.self, key: "key") },
                thrown { _ = try child.resolve(Engine.self, arguments: 7) },
            ]
            #expect(codes.allSatisfy { $0 == .locatorClosed })
            // Its own services stay.
            #expect(try child.resolve(String.self) == "own")
            #expect(try child.resolve(Locator.Resolver.self).isValid)
        }
    }

    @Test func `An async resolve from such a child throws the same error`() async throws {
        let child = try {
            let locator = Locator("parent")
            locator.register(.lazy { () async in 1 })
            return try locator.resolve(Locator.Resolver.self).child("child")
        }()
        let error = try #require(await thrown { try await child.resolveAsync(Int.self) })
        #expect(error == .locatorClosed)
        #expect(error.description.contains("was requested from the locator \"parent\", which has been released."))
    }

    @Test func `A child of a resolver inherits from its locator`() throws {
        let session = try session()
        locator.register(.eager(Engine(number: 1)))
        let child = session.resolver.child("child")
        #expect(try child.resolve(Engine.self).number == 1)
        child.register(.eager(Engine(number: 2)))
        #expect(try child.resolve(Engine.self).number == 2)
        #expect(try locator.resolve(Engine.self).number == 1)
        let text = #expect(throws: InjectleError.self) { try child.resolve(Bool.self) }?.description ?? ""
        #expect(text.contains("searched      the locator \"child\"\n  and in        the locator \"resolvers\""))
    }

    @Test func `A failing child build closure of a resolver leaves nothing`() throws {
        let session = try session()
        let child = session.resolver.child { $0.register(.eager(Engine(number: 2))) }
        #expect(try child.resolve(Engine.self).number == 2)
        let log = Tracked.Log()
        #expect(throws: Refusal.self) {
            _ = try session.resolver.child("failed") { child in
                child.register(.eager(Tracked(log)))
                throw Refusal()
            }
        }
        #expect(log.created == 1)
        #expect(log.alive == 0)
    }

    // MARK: Arguments

    @Test func `A retained resolver carries its arguments`() throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.volatile { Session(resolver: $0) }, key: "closure")
        locator.register(.initializer(Session.init).lifetime(.volatile), key: "initializer")
        locator.register(.volatile { Screen() })
        for key in ["closure", "initializer"] {
            let session = try locator.resolve(Session.self, key: key, arguments: Engine(number: 7))
            #expect(try session.resolver.resolve(Engine.self).number == 7)
            #expect(try session.resolver.resolveOptional(Engine.self)?.number == 7)
        }
        let screen = try locator.resolve(Screen.self, arguments: Engine(number: 7))
        #expect(try screen.resolver.resolve(Engine.self).number == 7)
        #expect(try screen.optional?.resolve(Engine.self).number == 7)
    }

    @Test func `A resolver does not pass its arguments to dependencies`() throws {
        locator.register(.eager(Engine(number: 1)))
        locator.register(.volatile { Session(resolver: $0) })
        locator.register(.initializer({ (engine: Engine) in engine.number }).lifetime(.volatile))
        let resolver = try locator.resolve(Session.self, arguments: Engine(number: 7)).resolver
        #expect(try resolver.resolve(Engine.self).number == 7)
        #expect(try resolver.child().resolve(Engine.self).number == 1)
        #expect(try resolver.resolve(Int.self) == 1)
        #expect(try resolver.resolve(Session.self).resolver.resolve(Engine.self).number == 1)
    }

    // MARK: Ownership
}

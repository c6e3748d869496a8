import Injectle
import InjectleTestSupport
import Testing

/// The optimizer may release the former value of a variable before the read that replaces it has ended. So these tests can
/// only fail in a release build.
@Suite(.serialized) struct ReplacedValueTests {
    private let alive = Guarded<Set<Int>>([])

    private func locator(_ parent: Locator? = nil) -> Locator {
        let locator = Locator("app", parent: parent)
        RegisteredTwice(Numbered(1, alive)).register(in: locator)
        locator.register(.eager(Other()))
        return locator
    }

    @Test(arguments: Read.allCases)
    private func `A read returns a live object while the former value replaces it`(_ read: Read) throws {
        let locator = locator()
        var service: (any Service)? = Replacing(locator, alive)
        try read(&service, from: locator)
        #expect(alive.value == [try #require(service).number, 4])
        service = nil
        #expect(alive.value == [4])
    }

    @Test(arguments: Read.allCases)
    private func `Former values may read in turn`(_ read: Read) throws {
        let locator = locator()
        var service: (any Service)?
        for _ in 0..<1000 { service = Reading(locator, service, read) }
        try read(&service, from: locator)
        #expect(try #require(service).number == 1)
        service = nil
        RegisteredTwice(Numbered(2, alive)).register(in: locator)
        #expect(alive.value == [2])
    }
}

/// A service that is registered by its type and by a key.
private struct RegisteredTwice {
    let byType, byKey: Locator.Registration<any Service>

    init(_ service: Numbered) { (byType, byKey) = (.eager(service), .eager(service)) }

    func register(in locator: Locator) {
        locator.register(byType)
        locator.register(byKey, key: 7)
    }
}

private protocol Service: AnyObject, Sendable {
    var number: Int { get }
}

private final class Other: Sendable {}

private final class Numbered: Service {
    let number: Int
    private let alive: Guarded<Set<Int>>

    init(_ number: Int, _ alive: Guarded<Set<Int>>) {
        (self.number, self.alive) = (number, alive)
        alive.withLock { _ = $0.insert(number) }
    }

    deinit { alive.withLock { _ = $0.remove(number) } }
}

/// Replaces the service and reads another one when it is released.
private final class Replacing: Service {
    let number = 0
    private let locator: Locator
    private let alive: Guarded<Set<Int>>

    init(_ locator: Locator, _ alive: Guarded<Set<Int>>) { (self.locator, self.alive) = (locator, alive) }

    deinit {
        // All exist before the first is replaced, so none has the memory of a released one.
        let replacements = (2...4).map { RegisteredTwice(Numbered($0, alive)) }
        for replacement in replacements {
            replacement.register(in: locator)
            for _ in 0..<3 { withExtendedLifetime(try? locator.resolve(Other.self)) {} }
        }
    }
}

/// Reads the service when it is released, into the variable of its former value.
private final class Reading: Service {
    let number = 0
    private let locator: Locator
    private let read: Read
    // Sound to share: only the deinit uses it.
    private nonisolated(unsafe) var former: (any Service)?

    init(_ locator: Locator, _ former: (any Service)?, _ read: Read) {
        (self.locator, self.former, self.read) = (locator, former, read)
    }

    deinit { try? read(&former, from: locator) }
}

private final class Owner {
    @Inject var service: any Service
}

private enum Read: CaseIterable {
    case resolve, resolveOptional, resolveByKey, provider, property

    func callAsFunction(_ service: inout (any Service)?, from locator: Locator) throws {
        switch self {
        case .resolve: try Read.resolve(&service, locator)
        case .resolveOptional: try Read.resolveOptional(&service, locator)
        case .resolveByKey: try Read.resolveByKey(&service, locator)
        case .provider: try Read.callProvider(&service, locator.resolve(Locator.Provider<any Service>.self))
        case .property: Read.readProperty(&service, Locator.$shared.withValue(locator) { Owner() })
        }
    }

    @inline(never)
    private static func resolve(_ service: inout (any Service)?, _ locator: Locator) throws {
        service = try locator.resolve((any Service).self)
    }

    @inline(never)
    private static func resolveOptional(_ service: inout (any Service)?, _ locator: Locator) throws {
        service = try locator.resolveOptional((any Service).self)
    }

    @inline(never)
    private static func resolveByKey(_ service: inout (any Service)?, _ locator: Locator) throws {
        service = try locator.resolve((any Service).self, key: 7)
    }

    @inline(never)
    private static func callProvider(_ service: inout (any Service)?, _ provider: Locator.Provider<any Service>) throws
    {
        service = try provider()
    }

    @inline(never)
    private static func readProperty(_ service: inout (any Service)?, _ owner: Owner) {
        withExtendedLifetime(owner.service) {}  // The first read of a property finds its entry.
        service = owner.service
    }
}

import Injectle
import InjectleTestSupport
import Testing

@MainActor private protocol Anchor {}

private protocol Presenting { var title: String { get } }

@MainActor private final class Presenter {
    let title = "Today"
    static func load() async -> Presenter {
        await Task.yield()
        return Presenter()
    }
}

/// An isolated conformance, as `InferIsolatedConformances` infers it.
extension Presenter: @MainActor Presenting {}

/// A service is cast on the actor of its registration, where an isolated conformance holds.
@Suite struct IsolatedConformanceTests {
    private let locator = Locator("conformance")

    @MainActor private func title() throws -> String { try locator.resolve((any Presenting).self).title }

    @Test func `start creates a service under a protocol of the main actor`() async throws {
        await MainActor.run { _ = locator.register(.initializer(Presenter.load).as((any Presenting).self)) }
        #expect(await thrown { try await locator.start() } == nil)
        #expect(try await title() == "Today")
    }

    @Test func `resolveAsync elsewhere creates a service under a protocol of the main actor`() async throws {
        await MainActor.run { _ = locator.register(.initializer(Presenter.load).as((any Presenting).self)) }
        #expect(await thrown { _ = try await locator.resolveAsync((any Presenting).self) } == nil)
        #expect(try await title() == "Today")
    }

    @Test func `resolveAsync elsewhere creates a synchronous service under a protocol of the main actor`() async throws
    {
        await MainActor.run { _ = locator.register(.lazy { Presenter() }.as((any Presenting).self)) }
        #expect(await thrown { _ = try await locator.resolveAsync((any Presenting).self) } == nil)
        #expect(try await title() == "Today")
    }

    @Test func `A synchronous caller elsewhere creates a service under a protocol of the main actor`() async throws {
        let locator = Locator("conformance", mainActorTimeout: .seconds(600))
        await MainActor.run { _ = locator.register(.lazy { Presenter() }.as((any Presenting).self)) }
        #expect(await onAnotherThread { thrown { _ = try locator.resolve((any Presenting).self) } } == nil)
    }

    @Test func `A list elsewhere has services under a protocol of the main actor`() async throws {
        await MainActor.run {
            _ = locator.register(.initializer(Presenter.load).contributing(to: (any Presenting).self))
        }
        let (error, count) = await { () async -> (InjectleError?, Int) in
            do {
                return (nil, try await locator.resolveAllAsync((any Presenting).self).count)
            } catch {
                return (error as? InjectleError, 0)
            }
        }()
        #expect(error == nil)
        #expect(count == 1)
    }

    @Test func `A service that conforms nowhere has the wrong type`() async throws {
        await MainActor.run { _ = locator.register(.initializer(Presenter.load).as((any Anchor).self)) }
        #expect(await thrown { try await locator.start() } == .wrongType)
    }
}

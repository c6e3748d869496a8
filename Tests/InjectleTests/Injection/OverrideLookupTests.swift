import CInjectle
import InjectleTestSupport
import Testing

@testable import Injectle

/// The override is looked up by the address of the task-local, or in the public way, with the same results.
///
/// Serialized, since the choice is one for the process. Other tests may run meanwhile; it changes no result of theirs.
@Suite(.serialized) struct OverrideLookupTests {
    private final class Name: Sendable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    private struct Holder: Sendable {
        let name = Inject<Name>()
        let perhaps = Optject<Name>()
    }

    private enum Way: CaseIterable {
        case byKey, publicly

        func callAsFunction<Value>(_ body: () async throws -> Value) async rethrows -> Value {
            // The first look-up of the process chooses one, which must have happened.
            _ = Locator.shared
            injectle_use_public_overrides(self == .publicly)
            defer { injectle_use_public_overrides(false) }
            return try await body()
        }
    }

    private let first = Locator("first") { $0.register(.eager(Name("first"))) }
    private let second = Locator("second") { $0.register(.eager(Name("second"))) }
    private var current: String? { try? Locator.shared.resolve(Name.self).text }

    @Test func `Both ways agree on this system`() {
        #expect(CurrentLocator.findsOverrides(byKey: Unmanaged.passUnretained(Locator.$shared).toOpaque()))
        _ = Locator.shared  // has chosen, if nothing has before
        #expect(injectle_key_of_overrides() != nil)
    }

    @Test func `No property looks for an override before Locator.shared is used`() async {
        await #expect(processExitsWith: .success) {
            Locator.default.register(.eager(Name("default")))
            let holder = Holder()
            var seen = [holder.name().text, holder.name().text]
            let other = Locator("other", parent: .default) { $0.register(.eager(Name("other"))) }
            seen.append((try? other.resolve(Name.self).text) ?? "none")
            Locator.test.register(.eager(Name("test")))
            Injectle.testUp()
            seen.append(holder.name().text)
            Injectle.testDown()
            seen.append(holder.name().text)
            precondition(seen == ["default", "default", "other", "test", "default"])
            precondition(!injectle_allows_overrides())
            precondition(Locator.shared === Locator.current && injectle_allows_overrides())
        }
    }

    @Test func `The first override of a process counts in properties that were read before`() async {
        await #expect(processExitsWith: .success) {
            Locator.default.register(.eager(Name("default")))
            let other = Locator("other") { $0.register(.eager(Name("other"))) }
            let holder = Holder()
            var seen = [holder.name().text, holder.name().text]
            Locator.$shared.withValue(other) { seen += [holder.name().text, holder.name().text] }
            seen += [holder.name().text, holder.name().text]
            precondition(seen == ["default", "default", "other", "other", "default", "default"])
        }
    }

    @Test func `A look-up that finds another task-local is noticed`() {
        let other = TaskLocal<Locator?>(wrappedValue: nil)
        #expect(!CurrentLocator.findsOverrides(byKey: Unmanaged.passUnretained(other).toOpaque()))
    }

    @Test(arguments: Way.allCases)
    private func `The current locator is the innermost override`(way: Way) async {
        await way {
            let seen = Locator.$shared.withValue(first) {
                let inner = Locator.$shared.withValue(second) { current }
                return [current, inner, current]
            }
            #expect(seen == ["first", "second", "first"])
        }
    }

    @Test(arguments: Way.allCases)
    private func `Both getters of the current locator return the override`(way: Way) async {
        func name(in locator: some Locator.Resolving) -> String? { try? locator.resolve(Name.self).text }
        await way {
            Locator.$shared.withValue(first) {
                #expect(Locator.$shared.get() === first)
                #expect(Locator.shared === first)
                #expect(name(in: .shared) == "first")
            }
            #expect(Locator.$shared.get() === Locator.shared)
        }
    }

    @Test(.processWide, arguments: Way.allCases)
    private func `A property that is created in no override follows that of the read`(way: Way) async {
        await way {
            Locator.default.register(.eager(Name("default")))
            let holder = Holder()
            // Read twice, so that the second read may use what the first has cached.
            var seen = [holder.name().text, holder.name().text]
            Locator.$shared.withValue(first) { seen += [holder.name().text, holder.name().text] }
            Locator.$shared.withValue(second) { seen.append(holder.perhaps()?.text ?? "none") }
            seen.append(holder.name().text)
            #expect(seen == ["default", "default", "first", "first", "second", "default"])
        }
    }

    @Test(arguments: Way.allCases)
    private func `A property keeps the override that it is created in`(way: Way) async {
        await way {
            let holder = Locator.$shared.withValue(first) { Holder() }
            let seen = Locator.$shared.withValue(second) { [holder.name().text, holder.name().text] }
            #expect(seen == ["first", "first"])
        }
    }

    @Test(.processWide, arguments: Way.allCases)
    private func `The test locator counts where there is no override`(way: Way) async {
        await way {
            Locator.test.register(.eager(Name("test")))
            Injectle.testUp()
            defer { Injectle.testDown() }
            #expect(current == "test")
            #expect(Holder().name().text == "test")
            #expect(Locator.$shared.withValue(first) { current } == "first")
        }
    }

    @Test(.processWide, arguments: Way.allCases)
    private func `An override counts in child tasks and not in detached ones`(way: Way) async {
        await way {
            let holder = Holder()
            let seen = await Locator.$shared.withValue(first) {
                async let child = holder.name().text
                let task = Task { holder.name().text }
                let detached = Task.detached { holder.perhaps()?.text }
                return await [child, task.value, detached.value]
            }
            #expect(seen == ["first", "first", nil])
        }
    }

    @Test(.processWide, arguments: Way.allCases)
    private func `A property read in one way is read in the other`(way: Way) async {
        Locator.default.register(.eager(Name("default")))
        let holder = Holder()
        var seen: [String] = []
        for way in [way, .byKey, .publicly, .byKey] {
            await way {
                seen += [
                    holder.name().text, Locator.$shared.withValue(first) { holder.name().text }, holder.name().text,
                ]
            }
        }
        #expect(seen == Array(repeating: ["default", "first", "default"], count: 4).flatMap(\.self))
    }
}

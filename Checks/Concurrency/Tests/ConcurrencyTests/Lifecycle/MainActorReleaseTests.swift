import Foundation
import Injectle
import InjectleTestSupport
import Testing

private final class Journal: Sendable {
    private let callLog: CallLog
    private let released: Signal

    init(_ callLog: CallLog, _ released: Signal) { (self.callLog, self.released) = (callLog, released) }

    deinit {
        callLog.record("release journal")
        released.set()
    }

    func write(_ line: String) { callLog.record(line) }
}

/// Reads its dependency when it is released.
@MainActor private final class Model {
    @Inject private var journal: Journal

    isolated deinit { journal.write("release model") }
}

/// Reads its dependency when it is released, and belongs to no actor.
private final class Page {
    /// A value of the main queue. Where the main thread serves no queue, another thread runs the main actor.
    static let mark = DispatchSpecificKey<Bool>()

    @Inject private var journal: Journal

    deinit { journal.write("release page \(DispatchQueue.getSpecific(key: Page.mark) ?? Thread.isMainThread)") }
}

/// An ending elsewhere releases instances of the main actor on the main actor, while they can read their dependencies.
@Suite struct MainActorReleaseTests {
    private enum Ending: CaseIterable {
        case close, reset, unregistering, replacement, release, child, asyncChild
    }

    @Test func `An isolated deinit reads its dependencies`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            for ending in Ending.allCases {
                let recorded = await MainActorReleaseTests.end(by: ending) { Model() }
                let expected = ["release model", "release journal"]
                guard recorded == expected else { fatalError("\(ending): \(recorded)") }
            }
        }
    }

    @Test func `A deinit of a main actor service runs on the main actor`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            DispatchQueue.main.setSpecific(key: Page.mark, value: true)
            for ending in Ending.allCases {
                let recorded = await MainActorReleaseTests.end(by: ending) { Page() }
                let expected = ["release page true", "release journal"]
                guard recorded == expected else { fatalError("\(ending): \(recorded)") }
            }
        }
    }

    /// Creates a journal, and a service on the main actor, in a locator that ends elsewhere.
    @concurrent private static func end<Service>(
        by ending: Ending,
        _ make: @escaping @MainActor @Sendable () -> Service
    ) async -> [String] {
        let (callLog, released) = (CallLog(), Signal())
        let fill: @MainActor @Sendable (Locator) -> Void = { locator in
            locator.register(.lazy(.anywhere) { Journal(callLog, released) })
            locator.register(.lazy(.main) { make() })
            _ = try? (locator.resolve(Journal.self), locator.resolve(Service.self))
        }
        let root = Locator("root")
        var locator: Locator? = root.child("main")
        if ending != .child, ending != .asyncChild, let locator { await fill(locator) }
        switch ending {
        case .close: await locator?.close()
        case .reset: locator?.reset()
        case .unregistering: locator?.unregister(Service.self)
        case .replacement: locator?.register(.volatile(.main) { make() })
        case .release: locator = nil
        case .child:
            await onAnotherThread { root.withChild("child") { child in DispatchQueue.main.sync { fill(child) } } }
        case .asyncChild: await root.withChild("child") { child in await fill(child) }
        }
        if ending == .unregistering || ending == .replacement { await MainActor.run {} }
        if ending == .unregistering || ending == .replacement { locator?.unregister(Journal.self) }
        await released.reached()
        withExtendedLifetime(locator) {}
        return callLog.entries
    }

    @Test func `Services that were created before are released after the main actor's`() async {
        await #expect(processExitsWith: .success) {
            failAfterTimeLimit()
            let (callLog, released) = (CallLog(), Signal())
            let locator = Locator("order")
            await MainActor.run {
                locator.register(.lazy(.anywhere) { Journal(callLog, released) })
                locator.register(.lazy(.main) { Model() })
                locator.register(.lazy(.main) { Model() }, key: "other")
                _ = try? locator.resolve(Journal.self)
                _ = try? locator.resolve(Model.self)
                _ = try? locator.resolve(Model.self, key: "other")
            }
            await onAnotherThread { locator.reset() }
            await released.reached()
            let expected = ["release model", "release model", "release journal"]
            guard callLog.entries == expected else { fatalError("\(callLog.entries)") }
        }
    }
}

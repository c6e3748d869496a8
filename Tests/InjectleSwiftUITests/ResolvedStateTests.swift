import Injectle
import InjectleTestSupport
import Testing

@testable import InjectleSwiftUI

/// The life of a service in a view: resolved once, from the locator of the view, and kept.
@MainActor @Suite struct ResolvedStateTests {
    final class Model {
        let locator = Locator.shared
        @Inject var number: Int
    }

    private let locator = Locator("view") { $0.register(.eager(7)) }
    private let state = ResolvedState<Model>()

    private func resolve(_ locator: Locator) throws -> Model { try locator.resolve() }

    @Test func `A view resolves a transient service once`() throws {
        locator.register(.volatile { Model() })
        let model = try state.service(from: locator, by: resolve)
        #expect(try state.service(from: locator, by: resolve) === model)
        #expect(try ResolvedState<Model>().service(from: locator, by: resolve) !== model)
    }

    @Test func `A view keeps its service after a new registration and with another locator`() throws {
        locator.register(.volatile { Model() })
        let model = try state.service(from: locator, by: resolve)
        locator.register(.volatile { Model() })
        let other = Locator("other") { $0.register(.volatile { Model() }) }
        #expect(try state.service(from: locator, by: resolve) === model)
        #expect(try state.service(from: other, by: resolve) === model)
    }

    @Test func `The state releases its service with the view`() throws {
        let log = Tracked.Log()
        locator.register(.volatile { Tracked(log) })
        var state: ResolvedState<Tracked>? = ResolvedState()
        _ = try state?.service(from: locator) { try $0.resolve() }
        #expect(log.alive == 1)
        state = nil
        #expect(log.alive == 0)
    }

    @Test func `The locator of a service lives as long as the view`() throws {
        var locator: Locator? = Locator("preview") { locator in
            locator.register(.eager(7))
            locator.register(.volatile { Model() })
        }
        let model = try state.service(from: #require(locator), by: resolve)
        locator = nil
        #expect(model.number == 7)
    }

    @Test func `A locator of a view ends with the view`() throws {
        let log = Tracked.Log()
        var state: ResolvedState<Locator>? = ResolvedState()
        do {
            let window = try #require(try state?.service(from: locator) { $0.child("window") })
            window.register(.lazy { Tracked(log) })
            _ = try window.resolve(Tracked.self)
            #expect(try window.resolve(Int.self) == 7)
        }
        #expect(log.alive == 1)
        state = nil
        #expect(log.alive == 0)
    }

    // MARK: The override

    @Test func `The locator of the view is the current one while its service is created`() throws {
        locator.register(.volatile { Model() })
        let model = try state.service(from: locator, by: resolve)
        #expect(model.locator === locator)
        #expect(model.number == 7)
        #expect(Locator.shared !== locator)
    }

    @Test func `The properties of a model resolve from the locator of its view`() throws {
        let session = locator.child("session") { $0.register(.eager(8)) }
        locator.register(.volatile { Model() })
        #expect(try state.service(from: session, by: resolve).number == 8)
        #expect(try ResolvedState<Model>().service(from: locator, by: resolve).number == 7)
    }

    @Test func `A task that a model starts has the locator of its view`() async throws {
        final class Loader {
            let task = Task { Locator.shared }
        }
        locator.register(.volatile { Loader() })
        let loader = try ResolvedState<Loader>().service(from: locator) { try $0.resolve() }
        #expect(await loader.task.value === locator)
    }

    @Test(.processWide) func `A view without a locator of its own follows the current one`() throws {
        Locator.default.register(.eager(1))
        Locator.test.register(.eager(2))
        let model = try state.service(from: .shared) { _ in Model() }
        #expect(model.number == 1)
        Injectle.testUp()
        #expect(model.number == 2)
    }

    // MARK: Missing services

    @Test func `A missing service is an error, and the next read resolves again`() throws {
        #expect(throws: InjectleError.missing) { try state.service(from: locator, by: resolve) }
        locator.register(.volatile { Model() })
        _ = try state.service(from: locator, by: resolve)
    }

    @Test func `A preview gets the text of the error`() throws {
        let result = state.result(from: locator, by: resolve, isPreview: true)
        #expect(throws: InjectleError.missing) { try result.get() }
        guard case .failure(let error) = result else { return }
        #expect("\(error)".contains("No service is registered as"))
        #expect("\(error)".contains("ResolvedStateTests.Model"))
    }

    #if os(macOS) || os(Linux)
    @Test func `Outside of a preview, a missing service traps with its text`() async {
        let trap = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            await MainActor.run {
                let locator = Locator("view")
                _ = ResolvedState<Int>().result(from: locator, by: { try $0.resolve() }, isPreview: false)
            }
        }
        let text = trap.map { String(decoding: $0.standardErrorContent, as: UTF8.self) } ?? ""
        #expect(text.contains("No service is registered as Int."))
    }
    #endif

    @Test(arguments: [
        (["XCODE_RUNNING_FOR_PREVIEWS": "1"], true), (["XCODE_RUNNING_FOR_PREVIEWS": "0"], false), ([:], false),
    ])
    func `The environment of the process tells a preview`(environment: [String: String], isInPreview: Bool) {
        #expect(isPreview(environment: environment) == isInPreview)
    }
}

import InjectleTestSupport
import Observation
import Testing

@testable import InjectleSwiftUI

/// What a binding to a property of an observable model reads and writes.
@MainActor @Suite struct ModelPropertyTests {
    @MainActor final class Model {
        var name = "Ada"
        var address = Address()
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Observable @MainActor final class ObservableModel {
        var name = "Ada"
        var address = Address()
    }

    struct Address {
        var city = "London"
    }

    private let model = Model()

    @Test func `A binding reads and writes the property of the model`() {
        let name = ModelProperty(model: model, keyPath: \.name)
        #expect(name.value == "Ada")
        name.value = "Grace"
        #expect(model.name == "Grace")
        model.name = "Edsger"
        #expect(name.value == "Edsger")
    }

    @Test func `A binding reaches into a structure`() {
        ModelProperty(model: model, keyPath: \.address.city).value = "Paris"
        #expect(model.address.city == "Paris")
    }

    @available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
    @Test func `A view that reads a binding observes the property, and no other`() {
        let model = ObservableModel()
        let changes = Counter()
        let name = ModelProperty(model: model, keyPath: \.name)
        withObservationTracking {
            _ = name.value
        } onChange: {
            changes.increment()
        }
        ModelProperty(model: model, keyPath: \.address.city).value = "Paris"
        #expect(changes.value == 0)
        name.value = "Grace"
        #expect(changes.value == 1)
    }
}

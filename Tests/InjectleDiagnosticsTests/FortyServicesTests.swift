import Injectle
import InjectleDiagnostics
import Testing

// Services that differ in their type only.
private final class Service<Number>: Sendable {}
private enum Zero {}
private enum One {}
private enum Two {}
private enum Three {}
private enum Four {}
private enum Five {}
private enum Six {}
private enum Seven {}
private enum Eight {}
private enum Nine {}
private enum Ten {}
private enum Eleven {}

// One reader for each of these, and for each form of a property.
private final class ClassReader { @Inject var service: Service<Zero> }
private final class ValueReader: Sendable { let service = Inject<Service<One>>() }
private struct StructReader { @Inject var service: Service<Two> }
private actor ActorReader { @Inject var service: Service<Three> }
private class Base<Number> { @Inject var inherited: Service<Number> }
private class Middle: Base<Four> {}
private final class Derived: Middle { var own = 0 }
private struct Tools { @Inject var service: Service<Five> }
private struct Box<Value> { var value: Value }
private final class NestedReader { var tools = Box(value: Tools()) }
private struct OptionalReader { var tools: Inject<Service<Six>>? }
private final class TupleReader { let pair = (1, service: Inject<Service<Seven>>()) }
private final class KeepingReader { @Injected(resolve: .lazy) var service: Service<Eight> }
private final class LazyReader {
    let service: Locator.Lazy<Service<Nine>>
    init(_ service: Locator.Lazy<Service<Nine>>) { self.service = service }
}
private final class ProviderReader {
    let service: Locator.Provider<Service<Ten>>
    init(_ service: Locator.Provider<Service<Ten>>) { self.service = service }
}
private protocol Reader {}
private final class PrivateReader: Reader { @Inject private var service: Service<Eleven> }

/// A program of 40 services, 12 of which read others by properties.
@Suite struct FortyServicesTests {
    private let locator = Locator("app")

    private func register<Number>(_: Number.Type, unless isMissing: Bool) {
        if !isMissing { locator.register(.lazy { Service<Number>() }) }
    }

    private func registerAll(without missing: Int?) {
        register(Zero.self, unless: missing == 0)
        register(One.self, unless: missing == 1)
        register(Two.self, unless: missing == 2)
        register(Three.self, unless: missing == 3)
        register(Four.self, unless: missing == 4)
        register(Five.self, unless: missing == 5)
        register(Six.self, unless: missing == 6)
        register(Seven.self, unless: missing == 7)
        register(Eight.self, unless: missing == 8)
        register(Nine.self, unless: missing == 9)
        register(Ten.self, unless: missing == 10)
        register(Eleven.self, unless: missing == 11)
        locator.register(.lazy { ClassReader() })
        locator.register(.lazy { ValueReader() })
        locator.register(.volatile { StructReader() })
        locator.register(.lazy { ActorReader() })
        locator.register(.lazy { Derived() }.lifetime(.weak))
        locator.register(.lazy { NestedReader() })
        locator.register(.lazy { OptionalReader(tools: Inject()) }.lifetime(.perLocator))
        locator.register(.lazy { TupleReader() })
        locator.register(.lazy { KeepingReader() })
        locator.register(.lazy { locator in LazyReader(try locator.resolve()) })
        locator.register(.lazy { locator in ProviderReader(try locator.resolve()) })
        locator.register(.lazy { PrivateReader() }.as((any Reader).self))
        for number in 0..<16 { locator.register(.lazy { Service<Int>() }, key: number) }
    }

    @Test func `with all services there is no finding`() throws {
        registerAll(without: nil)
        #expect(locator.registrations.count == 40)
        try locator.check()
    }

    @Test(arguments: [
        (0, "service", "ClassReader", "Zero"), (1, "service", "ValueReader", "One"),
        (2, "service", "StructReader", "Two"), (3, "service", "ActorReader", "Three"),
        (4, "inherited", "Derived", "Four"), (5, "tools.value.service", "NestedReader", "Five"),
        (6, "tools", "OptionalReader", "Six"), (7, "pair.service", "TupleReader", "Seven"),
        (8, "service", "KeepingReader", "Eight"), (9, "service", "LazyReader", "Nine"),
        (10, "service", "ProviderReader", "Ten"), (11, "service", "PrivateReader", "Eleven"),
    ])
    func `each missing service is found once, with its reader`(
        number: Int,
        property: String,
        reader: String,
        name: String
    ) throws {
        registerAll(without: number)
        let error = try #require(throws: Locator.CheckFailure.self) { try locator.check() }
        let module = "InjectleDiagnosticsTests"
        #expect(
            error.findings.map(\.message) == [
                "The property `\(property)` of \(module).\(reader) needs \(module).Service<\(module).\(name)>, "
                    + "which is not registered."
            ]
        )
    }
}

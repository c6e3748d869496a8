// Modules. The same file is compiled in Swift 6, in Swift 5, and in a module whose default isolation is the main actor.

import Injectle
import InjectleTestSupport
import Testing

final class Lamp {
    let power: Int
    init(power: Int) { self.power = power }
}

@MainActor final class Porch {
    let lamp: Lamp
    init(lamp: Lamp) { self.lamp = lamp }
}

struct PowerModule: Locator.Module {
    let power: Int

    func register(in locator: Locator) {
        locator.register(.eager(power))
    }
}

/// A module with state and without optional members.
final class LampModule: Locator.Module {
    var lamp: Lamp?

    var requires: [any Locator.Module] { [PowerModule(power: 60)] }

    func register(in locator: Locator) throws {
        locator.register(.lazy { locator in Lamp(power: try locator.resolve()) })
    }

    func didRegister(in locator: Locator) throws {
        lamp = try locator.resolve()
    }
}

/// Isolated to the main actor in every language mode.
@MainActor struct PorchModule: @MainActor Locator.Module {
    let lamps: LampModule
    var id: AnyHashable { "porch" }
    var requires: [any Locator.Module] { [lamps] }

    func register(in locator: Locator) {
        locator.register(.lazy { locator in Porch(lamp: try locator.resolve()) })
    }
}

@Suite @MainActor struct ModuleUsageTests {
    private let locator = Locator()

    @Test func `apply registers modules`() throws {
        let lamps = LampModule()
        try locator.apply(PorchModule(lamps: lamps))
        let porch = try locator.resolve(Porch.self)
        #expect(porch.lamp === lamps.lamp)
        #expect(porch.lamp.power == 60)
        let modules: [any Locator.Module] = [PowerModule(power: 40), PowerModule(power: 50)]
        try locator.apply(modules)
        #expect(try locator.resolve(Int.self) == 50)
    }
}

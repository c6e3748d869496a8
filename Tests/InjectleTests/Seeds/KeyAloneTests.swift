import Injectle
import InjectleTestSupport
import Testing

private protocol Car: AnyObject, Sendable {}
private final class Taxi: Car {}
private final class Truck: Car {}

/// `registerSingleton` and its relatives, where the key alone is the identity.
@Suite struct KeyAloneTests {
    private let locator = Locator("seeds")

    private var types: [String] { locator.registrations.map { "\($0.identity.type)" } }

    @Test func `The replaced service of another type is disposed of`() {
        let ended = Counter()
        locator.register(.eager(Taxi()).onDispose { _ in ended.increment() }, key: "car")
        locator.registerLazySingleton(Truck(), forKey: "car")
        #expect(ended.value == 1)
        #expect(types == ["Truck"])
    }

    @Test func `Other keys, services without a key, lists and final registrations stay`() throws {
        locator.registerSingleton(Taxi())
        locator.registerSingleton(Taxi(), forKey: "another")
        locator.register(.lazy { Taxi() }.contributing(to: (any Car).self), key: "car")
        locator.register(.eager("final").final(), key: "car")
        locator.registerSingleton(1, forKey: "car")
        locator.registerSingleton(Truck(), forKey: "car")
        #expect(!locator.isRegistered(Int.self, key: "car"))
        #expect(locator.registrations.count == 5)
        #expect(try locator.resolve(String.self, key: "car") == "final")
    }

    @Test func `register replaces a service of its own type only`() {
        locator.registerSingleton(Taxi(), forKey: "car")
        locator.register(.eager(Truck()), key: "car")
        #expect(types == ["Taxi", "Truck"])
        locator.registerSingleton(Taxi(), forKey: "car")
        #expect(types == ["Taxi"])
    }

    @Test func `A refused registration replaces nothing`() {
        locator.registerSingleton(Taxi(), forKey: "car")
        #expect(throws: InjectleError.forbiddenReassignment) {
            try locator.registerSingleton(Truck(), forKey: "car", and: forbidReassignment)
        }
        #expect(types == ["Taxi"])
    }

    @Test func `A child replaces nothing of its parent`() throws {
        locator.registerSingleton(Taxi(), forKey: "car")
        let child = locator.child()
        try child.registerSingleton(Truck(), forKey: "car", and: forbidReassignment)
        #expect(child.isRegistered(Truck.self, key: "car"))
        #expect(types == ["Taxi"])
    }

    @Test func `Of two threads that register under one key, the later one wins`() async {
        for _ in 0..<Stress.rounds(200) {
            let locator = Locator()
            let barrier = Barrier(2)
            await onThreadsAsync(2) { index in
                barrier.wait()
                if index == 0 {
                    locator.registerSingleton(Taxi(), forKey: "car")
                } else {
                    locator.registerSingleton(Truck(), forKey: "car")
                }
            }
            #expect(locator.registrations.count == 1)
        }
    }
}

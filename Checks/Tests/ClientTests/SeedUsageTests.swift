// What users of the two libraries whose API this one keeps write, line by line, with another `import`. The same file is
// compiled in Swift 6, in Swift 5, and in a module whose default isolation is the main actor.

import Foundation
import Injectle
import InjectleTestSupport
import Testing

// MARK: Injectle

class Bmw {
    private var model: String

    init(model: String) {
        self.model = model
    }

    var name: String { model }
}

extension Bmw: NSCopying {
    func copy(with zone: NSZone? = nil) -> Any {
        // Simply pass all parameter values to create a copy
        Bmw(model: self.model)
    }
}

protocol Car: AnyObject {}
class DeLorean: Car { init() {} }
class DeLoreanMock: DeLorean { override init() {} }
class RandomCar: Car {}

enum CarKey { case anotherOne }

// Register services on app launch
func appDidFinishLaunching() {
    Injectle[.default].registerFactory(Bmw(model: "M5"))
    Injectle[.default].registerFactory(Bmw(model: "M2"), forKey: "bmw-m2")

    Injectle[.default].registerSingleton(DeLorean())
    Injectle[.default].registerSingleton(DeLorean(), forKey: "another-one")
    Injectle[.default].registerSingleton(DeLorean(), forKey: CarKey.anotherOne)

    Injectle[.default].registerLazySingleton(RandomCar(), forKey: "unknown")
}

// Access those services with the appropriate property wrappers
class Carpool {
    @Inject var bmwM5: Bmw
    @Inject var anotherBmwM5: Bmw
    @Inject("bmw-m2") var bmwM2: Bmw
    @Optject("bmw-m9") var bmwM9: Bmw?
    @Optject var optionalBmwM5: Bmw?

    @Inject var deLorean: DeLorean
    @Inject var sameDeLorean: DeLorean
    @Inject("another-one") var anotherDeLorean: DeLorean
    @Inject(CarKey.anotherOne) var thirdDeLorean: DeLorean
    @Optject("de-lorean-2024") var newDeLorean: DeLorean?
    @Optject var optionalDeLorean: DeLorean?

    @Optject("unknown") var unknownCar: (any Car)?
}

@Suite(.processWide) @MainActor struct InjectleUsageTests {
    @Test func `Properties find services registered at launch`() {
        appDidFinishLaunching()
        let carpool = Carpool()

        #expect(carpool.bmwM5.name == "M5")
        #expect(carpool.bmwM5 === carpool.bmwM5)
        #expect(carpool.bmwM5 !== carpool.anotherBmwM5)
        #expect(carpool.bmwM2.name == "M2")
        #expect(carpool.bmwM9 == nil)

        #expect(carpool.deLorean === carpool.sameDeLorean)
        #expect(carpool.deLorean !== carpool.anotherDeLorean)
        #expect(carpool.anotherDeLorean !== carpool.thirdDeLorean)
        #expect(carpool.newDeLorean == nil)
        #expect(carpool.unknownCar is RandomCar)
        #expect(carpool.unknownCar === Carpool().unknownCar)
    }

    @Test func `Assigning nil affects one property only`() {
        appDidFinishLaunching()
        let carpool = Carpool()
        let another = Carpool()
        #expect(carpool.optionalBmwM5 != nil)

        carpool.optionalBmwM5 = nil
        carpool.optionalDeLorean = nil

        #expect(carpool.optionalBmwM5 == nil)
        #expect(carpool.optionalDeLorean == nil)
        #expect(another.optionalBmwM5 != nil)
        #expect(another.optionalDeLorean === carpool.deLorean)
    }
}

// MARK: Injected

protocol ServiceProtocol {}
class NetworkService {}
class AnalyticsService {}
class DatabaseService {}
class RequestContext {}
class RealService: ServiceProtocol { init() {} }
class MockService: ServiceProtocol {}

class ProfileViewModel {
    @Injected(resolve: .lazy) var network: NetworkService
}

class ViewModel {
    @Injected(resolve: .lazy) var service: ServiceProtocol
}

enum AppEnvironment {
    nonisolated static let isTest = true
}

protocol AnalyticsProviding {}
extension AnalyticsService: AnalyticsProviding {}

@MainActor
@propertyWrapper
final class Dependency<T> {
    private let injected: Injected<T>

    init(key: String? = nil) {
        self.injected = Injected(resolve: AppEnvironment.isTest ? .eager : .lazy, key: key)
    }

    var wrappedValue: T {
        injected.wrappedValue
    }
}

@MainActor
class WrappedViewModel {
    @Dependency var analytics: AnalyticsProviding
    @Dependency(key: "other") var otherAnalytics: AnalyticsProviding
}

@Suite(.processWide) @MainActor struct InjectedUsageTests {
    @Test func `Services are registered by strategy`() throws {
        DependencyContainer.shared.register(.lazy { NetworkService() })
        let container = DependencyContainer.shared
        container.register(.eager(AnalyticsService()))
        container.register(.lazy { DatabaseService() })
        container.register(.volatile { RequestContext() })
        container.register(.eager(RealService()), for: ServiceProtocol.self)

        let model = ProfileViewModel()
        #expect(model.network === ProfileViewModel().network)
        #expect(ViewModel().service is RealService)
        #expect(try container.resolve(DatabaseService.self) === container.resolve(DatabaseService.self))
        #expect(try container.resolve(RequestContext.self) !== container.resolve(RequestContext.self))
    }

    @Test("ViewModel uses mock service")
    func viewModelUsesMock() async {
        let testContainer = DependencyContainer()
        testContainer.register(.eager(MockService()), for: ServiceProtocol.self)

        await DependencyContainer.$shared.withValue(testContainer) {
            let vm = ViewModel()
            #expect(vm.service is MockService)
            await Task.yield()
            #expect(ViewModel().service is MockService)
        }
        DependencyContainer.$shared.withValue(testContainer) {
            let vm = ViewModel()
            #expect(vm.service is MockService)
        }
    }

    @Test func `A custom wrapper has its own policy`() {
        let container = DependencyContainer()
        container.register(.eager(AnalyticsService()), for: AnalyticsProviding.self)
        container.register(.eager(AnalyticsService()), for: AnalyticsProviding.self, key: "other")
        DependencyContainer.$shared.withValue(container) {
            let model = WrappedViewModel()
            #expect(model.analytics as AnyObject === model.analytics as AnyObject)
            #expect(model.analytics as AnyObject !== model.otherAnalytics as AnyObject)
        }
    }
}

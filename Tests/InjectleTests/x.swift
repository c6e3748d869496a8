import Foundation
import Injectle
import Testing

final class Bmw: NSCopying { let model: String; init(model: String) { self.model = model }
    func copy(with zone: NSZone? = nil) -> Any { Bmw(model: model) } }
protocol Car: AnyObject {}
final class DeLorean: Car { init() {} }
final class RandomCar: Car { init() {} }
class Carpool {
    @Inject var bmwM5: Bmw
    @Inject("bmw-m2") var bmwM2: Bmw
    @Inject var deLorean: DeLorean
    @Inject var sameDeLorean: DeLorean
    @Optject("unknown") var unknownCar: (any Car)?
    @Optject var opt: DeLorean?
    init() {}
}
final class A { @Inject var b: B; init() {} }
final class B { let a: A; init(a: A) { self.a = a } }
@Suite(.serialized) struct Smoke {
    @Test func works() throws {
        Injectle[.default].registerFactory(Bmw(model: "M5"))
        Injectle[.default].registerFactory(Bmw(model: "M2"), forKey: "bmw-m2")
        Injectle[.default].registerSingleton(DeLorean())
        Injectle[.default].registerLazySingleton(RandomCar(), forKey: "unknown")
        let c = Carpool()
        #expect(c.bmwM5.model == "M5" && c.bmwM5 === c.bmwM5)
        #expect(c.bmwM2.model == "M2" && c.bmwM2 === c.bmwM2)
        #expect(c.deLorean === c.sameDeLorean)
        #expect(c.unknownCar is RandomCar)
        #expect(c.unknownCar === c.unknownCar)
        #expect(c.opt != nil)
        c.opt = nil
        #expect(c.opt == nil)
        let l = Locator("x")
        l.register(.volatile { A() })
        l.register(.volatile { r in B(a: try r.resolve()) })
        #expect(throws: InjectleError.self) { try l.resolve(Bmw.self) }
        do { _ = try l.resolve(Bmw.self) } catch { print(error) }
        l.register(.lazy { r in try r.resolve(DeLorean.self) })
        do { _ = try l.resolve(DeLorean.self) } catch { print(error) }
        do { try Injectle[.default].registerSingleton(DeLorean(), and: forbidReassignment) } catch { print(error) }
        do { _ = try Locator.default.resolve(Bmw.self, key: "unknown") } catch { print(error) }
        #expect(try l.resolve(Bmw?.self) == nil)
        #expect(try Locator.default.resolve(Bmw?.self) != nil)
    }
    @Test func hop() async throws {
        let l = Locator("hop")
        await MainActor.run { l.register(.lazy { DeLorean() }) }
        let c = await Task.detached { (try? l.resolve(DeLorean.self)) != nil }.value
        #expect(c)
    }
}

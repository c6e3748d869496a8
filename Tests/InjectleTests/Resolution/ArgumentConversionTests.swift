import Foundation
import Injectle
import InjectleTestSupport
import Testing

private class Animal {}
private final class Dog: Animal {}

private final class Given: @unchecked Sendable {
    @Optject var dog: Dog?
}

private final class Named {
    let name: NSString
    init(name: NSString) { self.name = name }
}

private final class Boxed {
    let object: AnyObject
    init(object: AnyObject) { self.object = object }
}

/// Arguments match by static type, without bridging.
@Suite struct ArgumentConversionTests {
    private let locator = Locator("conversion", mainActorTimeout: .seconds(600))

    @Test func `An optional argument matches its own type only`() throws {
        locator.register(.volatile { (_, animal: Animal?) in animal == nil ? "none" : "some" })
        locator.register(.volatile { "plain" })
        let dogs: [Dog?] = [nil, Dog()]
        for dog in dogs { #expect(try locator.resolve(String.self, arguments: dog) == "plain") }
        let animals: [Animal?] = [nil, Dog()]
        for (animal, text) in zip(animals, ["none", "some"]) {
            #expect(try locator.resolve(String.self, arguments: animal) == text)
        }
        #expect(try locator.resolve(String.self, arguments: Dog()) == "some")
    }

    @Test func `An optional argument does not replace the wrapped service`() throws {
        locator.register(.eager(7))
        locator.register(.volatile { locator in "\(try locator.resolve(Int.self))" })
        #expect(try locator.resolve(String.self, arguments: 8 as Int?) == "7")
        #expect(try locator.resolve(String.self, arguments: 8) == "8")
    }

    @Test func `nil replaces an optional in every form`() throws {
        let dog = Dog()
        locator.register(.eager(dog))
        locator.register(.volatile { Given() })
        locator.register(
            .volatile { locator in
                [try locator.resolveOptional(Dog.self) == nil, try locator.resolve(Dog?.self) == nil]
            }
        )
        #expect(try locator.resolve(Given.self, arguments: nil as Dog?).dog == nil)
        #expect(try locator.resolve(Given.self, arguments: 1).dog === dog)
        #expect(try locator.resolve([Bool].self, arguments: nil as Dog?) == [true, true])
        #expect(try locator.resolve([Bool].self, arguments: 1) == [false, false])
    }

    @Test func `A value argument is not bridged to an object`() throws {
        let name: NSString = "registered"
        let object = Dog()
        locator.register(.eager(name))
        locator.register(.eager(object as AnyObject))
        locator.register(.initializer(Named.init).lifetime(.volatile))
        locator.register(.initializer(Boxed.init).lifetime(.volatile))
        #expect(try locator.resolve(Named.self).name === name)
        #expect(try locator.resolve(Boxed.self).object === object)
        #expect(thrown { _ = try locator.resolve(Named.self, arguments: "text") } == .wrongArguments)
        #expect(thrown { _ = try locator.resolve(Boxed.self, arguments: 5) } == .wrongArguments)
        let another = Dog()
        #expect(try locator.resolve(Boxed.self, arguments: another).object === another)
    }
}

import Injectle
import InjectleDiagnostics
import InjectleTestSupport
import Testing

@Suite struct ExplanationTests {
    private let locator = Locator("app")

    @Test func `A registration of the type and key answers`() throws {
        locator.register(.lazy { Disk() })
        locator.register(.lazy { Disk() }, key: "second")
        locator.register(.initializer(Repository.init))
        let explanation = locator.explain(Disk.self)
        #expect(explanation.rule == .registered)
        #expect(explanation.services.map(\.isCreated) == [false])
        #expect(explanation.dependents.map { $0.type.split(separator: ".").last ?? "" } == ["Repository"])
        #expect(explanation.candidates.map(\.reason) == ["it has the key \"second\""])
        _ = try locator.resolve(Disk.self)
        let text = locator.explain(Disk.self).description
        for part in ["for this type and key", "lazy, created", "instead of", "needed by", "ExplanationTests.swift:"] {
            #expect(text.contains(part), "\(text)")
        }
    }

    @Test func `A child hides its parent's registration`() {
        locator.register(.lazy { Disk() })
        let child = locator.child("request")
        #expect(child.explain(Disk.self).rule == .inherited)
        child.register(.lazy { Disk() })
        let explanation = child.explain(Disk.self)
        #expect(explanation.rule == .registered)
        #expect(explanation.candidates.map(\.reason) == ["the locator \"request\" hides it"])
        #expect(explanation.candidates.map(\.locator) == ["the locator \"app\""])
    }

    @Test func `A key alone answers with the latest registration`() {
        locator.register(.lazy { Pool() }, key: "disk")
        locator.register(.lazy { Disk() }, key: "disk")
        let explanation = locator.explain((any Store).self, key: "disk")
        #expect(explanation.rule == .keyAlone)
        #expect(explanation.services.map { $0.type.split(separator: ".").last ?? "" } == ["Disk"])
        #expect(explanation.candidates.map(\.reason) == ["it has another type"])
    }

    @Test func `A list is composed of its contributions`() {
        locator.register(.lazy { Disk() }.contributing(to: (any Store).self))
        locator.register(.lazy { Disk() }.contributing(to: (any Store).self))
        let explanation = locator.explain([any Store].self)
        #expect(explanation.rule == .composed)
        #expect(explanation.services.count == 2)
    }

    @Test func `A registration with arguments answers requests with arguments`() {
        locator.register(.volatile { (_: Locator.Resolver, _: Int) in Disk() })
        #expect(locator.explain(Disk.self).rule == .arguments)
        #expect(locator.explain(Disk.self).services.count == 1)
    }

    @Test func `Nothing answers where nothing is registered`() {
        locator.register(.lazy { Disk() }, key: "second")
        let explanation = locator.explain(Disk.self)
        #expect(explanation.rule == .missing)
        #expect(explanation.services.isEmpty)
        #expect(explanation.candidates.count == 1)
        #expect(locator.explain(Pool?.self).rule == .composed)
    }

    @Test func `An explanation creates nothing`() {
        locator.register(.lazy { try neverCreated(Disk.self) })
        locator.register(.initializer(Repository.init).lifetime(.perLocator))
        let explanation = locator.explain(Repository.self)
        #expect(explanation.dependencies.map(\.isCreated) == [false])
    }

    @Test func `A value that resolves later is composed, also of nothing`() throws {
        #expect(locator.explain(Locator.Lazy<Disk>.self).rule == .composed)
        _ = try locator.resolve(Locator.Lazy<Disk>.self)
    }
}

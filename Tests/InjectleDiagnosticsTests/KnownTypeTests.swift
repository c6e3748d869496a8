import Injectle
import InjectleDiagnostics
import Testing

private class Beast {}
private final class Cat: Beast {}
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
private struct Pair<each Element>: Sendable {}
private enum Region { case eu }
private struct Tag: Hashable { let text: String }

/// What the check knows of types without an instance, and how it writes them.
@Suite struct KnownTypeTests {
    private let locator = Locator("app")

    private func kinds() -> [Locator.Finding.Kind] { locator.validate().map(\.kind) }

    @Test func `What a cast converts has no wrong type`() throws {
        locator.register(.lazy { ContinuousClock() }.as((any Clock<Duration>).self))
        locator.register(.lazy { Cat.self }.as(Beast.Type.self))
        locator.register(.lazy { [Cat()] }.as([Beast].self))
        locator.register(.lazy { "x" }.as(AnyHashable.self))
        locator.register(.lazy { Cat() as Beast }.as(Cat.self))
        #expect(kinds() == [])
        _ = try locator.resolve((any Clock<Duration>).self)
        _ = try locator.resolve(Beast.Type.self)
        _ = try locator.resolve([Beast].self)
        _ = try locator.resolve(AnyHashable.self)
        _ = try locator.resolve(Cat.self)
    }

    @Test func `What no cast converts has the wrong type`() {
        locator.register(.lazy { Roster() }.as(AnyHashable.self))
        locator.register(.lazy { 1 }.as([Beast].self))
        locator.register(.lazy { 1 }.as(Beast.Type.self))
        locator.register(.lazy { 1 }.as(String.self))
        locator.register(.lazy { Cat() }.as(Roster.self))
        #expect(kinds() == [.wrongType, .wrongType, .wrongType, .wrongType, .wrongType])
    }

    // MARK: Fixes are code

    private func fix<Service>(_ type: Service.Type, key: AnyHashable? = nil) -> String {
        let roots = [Locator.Identity(type, key: key ?? AnyHashable("no key"))]
        return locator.validate(roots: roots).first?.fix ?? ""
    }

    @Test func `A type is written as code`() {
        #expect(fix((() -> Int).self).hasSuffix("for: (() -> Int).self, key: \"no key\")"))
        #expect(fix((any Clock<Duration>).self).hasSuffix("for: (any Clock<Duration>).self, key: \"no key\")"))
        #expect(fix([() -> Int].self) == "")
    }

    @Test func `A type with a pack is written as code`() {
        guard #available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *) else { return }
        #expect(fix(Pair<Int, String>.self).contains("Pair<Int, String>.self, key: \"no key\")"))
    }

    @Test func `A key is written as code, or left open`() {
        #expect(fix(Disk.self, key: 7).hasSuffix("Disk.self, key: 7)"))
        #expect(fix(Disk.self, key: UInt8(7)).hasSuffix("Disk.self, key: UInt8(7))"))
        #expect(fix(Disk.self, key: true).hasSuffix("Disk.self, key: true)"))
        #expect(fix(Disk.self, key: "a \"b\"").hasSuffix(#"Disk.self, key: "a \"b\"")"#))
        #expect(fix(Disk.self, key: Region.eu).hasSuffix("Disk.self, key: InjectleDiagnosticsTests.Region.eu)"))
        #expect(fix(Disk.self, key: Tag(text: "secret")).hasSuffix("Disk.self, key: …)"))
        #expect(fix(Disk.self, key: String(repeating: "x", count: 40)).hasSuffix("Disk.self, key: …)"))
    }

    @Test func `A property that is created on first use has its name`() {
        final class Page { lazy var api = Inject<Disk>() }
        locator.register(.lazy { Page() })
        #expect(locator.validate().first?.message.hasPrefix("The property `api` of ") == true)
    }
}

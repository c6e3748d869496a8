import Testing

@testable import Injectle

/// The kinds of types are read from their metadata, or, where that is not as it is known, found out in the public way.
@Suite struct MetadataKindTests {
    private protocol Shape {}
    private class Figure: Shape {}
    private struct Pair<Left, Right> { var left: Left, right: Right }
    private enum Side { case left }

    /// The kind of a type as the library has it, and none.
    private func kinds(of type: Any.Type) -> [UInt?] { [MetadataKind.of(type), nil] }

    @Test func `The layout is known on this system`() {
        #expect(MetadataKind.agrees(with: MetadataKind.known))
        #expect(MetadataKind.of(Int.self) == MetadataKind.structure)
    }

    @Test func `A layout that differs is noticed`() {
        #expect(!MetadataKind.agrees(with: [(Int?.self, MetadataKind.structure)]))
        #expect(!MetadataKind.agrees(with: MetadataKind.known + [(Figure.self, MetadataKind.structure)]))
    }

    @Test func `Protocols and classes are abstract`() {
        let abstract: [Any.Type] = [
            Figure.self, (any Shape).self, Any.self, AnyObject.self, (any Error).self, (any Shape & Sendable).self,
        ]
        for type in abstract {
            for kind in kinds(of: type) { #expect(isAbstract(type, kind: kind), "\(type)") }
        }
    }

    @Test func `Types of values are not abstract`() {
        let concrete: [Any.Type] = [
            Int.self, Pair<Int, String>.self, Side.self, Int?.self, (Int, Int).self, (() -> Void).self, Int.Type.self,
        ]
        for type in concrete {
            for kind in kinds(of: type) { #expect(!isAbstract(type, kind: kind), "\(type)") }
        }
    }

    @Test func `Only optional types wrap another`() {
        for kind in kinds(of: Int?.self) { #expect(asOptional(Int?.self, kind: kind)?.wrapped == Int.self) }
        for kind in kinds(of: Int??.self) { #expect(asOptional(Int??.self, kind: kind)?.wrapped == Int?.self) }
        for type in [Int.self, Figure.self, (any Shape).self, [Int].self] as [Any.Type] {
            for kind in kinds(of: type) { #expect(asOptional(type, kind: kind) == nil) }
        }
    }

    @Test func `Composed types are found`() {
        let composed: [Any.Type] = [
            Int?.self, [Figure].self, Locator.Resolver.self, Locator.Lazy<Figure>.self, Locator.Provider<Figure>.self,
        ]
        for type in composed {
            for kind in kinds(of: type) { #expect(asComposed(type, kind: kind) != nil, "\(type)") }
        }
        for type in [Int.self, Figure.self, (any Shape).self, Side.self, (() -> Void).self] as [Any.Type] {
            for kind in kinds(of: type) { #expect(asComposed(type, kind: kind) == nil, "\(type)") }
        }
    }

    @Test func `A structure with other type arguments may be generic`() {
        for kind in kinds(of: [Int].self) { #expect(mayBeGeneric([Int].self, like: [Never].self, kind: kind)) }
        #expect(!mayBeGeneric(Int.self, like: [Never].self))
        #expect(!mayBeGeneric(Figure.self, like: [Never].self))
    }
}

import InjectleTestSupport
import Testing

@testable import Injectle

/// The kinds of types are read from their metadata, or, where that is not as it is known, found out in the public way.
@Suite struct MetadataKindTests {
    private protocol Shape {}
    private class Figure: Shape {}
    private struct Pair<Left, Right> { var left: Left, right: Right }
    private enum Side { case left }

    /// Whether kinds are known, as on this system, and not.
    private let ways = [MetadataKind.isKnown, false]

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
            for isKnown in ways { #expect(isAbstract(type, isKnown: isKnown), "\(type)") }
        }
    }

    @Test func `Only classes have instances that are references`() {
        for type in [Figure.self, Tracked.self, ManagedBuffer<Int, Int>.self] as [Any.Type] {
            #expect(isClass(type), "\(type)")
            #expect(!isClass(type, isKnown: false))
        }
        let others: [Any.Type] = [
            Int.self, Int?.self, Figure?.self, Side.self, (Int, Int).self, (() -> Void).self, Figure.Type.self,
            AnyObject.self, (any Shape).self, Any.self, Void.self,
        ]
        for type in others { #expect(!isClass(type), "\(type)") }
    }

    @Test func `Types of values are not abstract`() {
        let concrete: [Any.Type] = [
            Int.self, Pair<Int, String>.self, Side.self, Int?.self, (Int, Int).self, (() -> Void).self, Int.Type.self,
        ]
        for type in concrete {
            for isKnown in ways { #expect(!isAbstract(type, isKnown: isKnown), "\(type)") }
        }
    }

    @Test func `Only optional types wrap another`() {
        for isKnown in ways { #expect(asOptional(Int?.self, isKnown: isKnown)?.wrapped == Int.self) }
        for isKnown in ways { #expect(asOptional(Int??.self, isKnown: isKnown)?.wrapped == Int?.self) }
        for type in [Int.self, Figure.self, (any Shape).self, [Int].self] as [Any.Type] {
            for isKnown in ways { #expect(asOptional(type, isKnown: isKnown) == nil) }
        }
    }

    @Test func `Composed types are found`() {
        let composed: [Any.Type] = [
            Int?.self, [Figure].self, Locator.Resolver.self, Locator.Lazy<Figure>.self, Locator.Provider<Figure>.self,
        ]
        for type in composed {
            for isKnown in ways { #expect(asComposed(type, isKnown: isKnown) != nil, "\(type)") }
        }
        for type in [Int.self, Figure.self, (any Shape).self, Side.self, (() -> Void).self] as [Any.Type] {
            for isKnown in ways { #expect(asComposed(type, isKnown: isKnown) == nil, "\(type)") }
        }
    }

    @Test func `A structure with other type arguments may be generic`() {
        for isKnown in ways { #expect(mayBeGeneric([Int].self, like: [Never].self, isKnown: isKnown)) }
        #expect(!mayBeGeneric(Int.self, like: [Never].self))
        #expect(!mayBeGeneric(Figure.self, like: [Never].self))
    }
}

internal import CInjectle

/// The kind of a type, which is the first word of its metadata (Swift ABI, "Type Metadata").
///
/// It answers in a few instructions what a search for a conformance answers in hundreds. The layout is stable where Swift
/// is part of the system, and documented nowhere as such. So the first use compares it with types whose kinds are known;
/// where it differs, there is no kind, and the functions below answer in the public way.
enum MetadataKind {
    static let structure: UInt = 0x200
    static let optional: UInt = 0x202
    /// Structures, enumerations, `Optional`s, tuples, functions and metatypes.
    /// The greatest kind.
    static let last: UInt = 0x7FF
    fileprivate static let ofValues: [UInt] = [structure, 0x201, optional, 0x301, 0x302, 0x304]

    /// Whether the layout is the known one.
    static var isKnown: Bool {
        @inline(__always) get {
            // A static constant would take a call at each use.
            let answer = injectle_metadata_answer()
            return answer == 0 ? compare() : answer == 1
        }
    }

    /// Compares the layout, and notes the answer: 1 if it is the known one, or 2.
    @inline(never)
    private static func compare() -> Bool {
        let isKnown = agrees(with: known)
        injectle_note_metadata_answer(isKnown ? 1 : 2)
        return isKnown
    }

    static let known: [(Any.Type, UInt)] = [
        (Int.self, structure), ([Int].self, structure), (Never.self, 0x201), (Int?.self, optional),
        ((Int, Int).self, 0x301),
        ((() -> Void).self, 0x302), (Any.self, 0x303), ((any Error).self, 0x303), (Int.Type.self, 0x304),
    ]

    /// Returns whether types are of some kinds, and whether generic structures share their second word.
    static func agrees(with kinds: [(Any.Type, UInt)]) -> Bool {
        let isSharedByOne = word(1, of: [Int].self) == word(1, of: [String].self)
        return kinds.allSatisfy { word(0, of: $0) == $1 } && isSharedByOne
            && word(1, of: [Int].self) != word(1, of: Int.self)
    }

    /// The kind of a type, or nil if kinds are not known.
    static func of(_ type: Any.Type, isKnown: Bool = isKnown) -> UInt? { isKnown ? word(0, of: type) : nil }

    /// A word of the metadata of a type. Every type has the first, and every structure the second.
    fileprivate static func word(_ index: Int, of type: Any.Type) -> UInt {
        // Sound: a metatype is the address of its metadata, as `isKnown` checks.
        unsafe unsafeBitCast(type, to: UnsafePointer<UInt>.self)[index]
    }
}

/// Returns whether a type may be a structure that differs from another in its type arguments only.
///
/// The second word of a structure's metadata is the address of the part that all of them share. Where that is signed, the
/// answer is the same for all structures.
func mayBeGeneric(_ type: Any.Type, like other: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> Bool {
    guard let kind = MetadataKind.of(type, isKnown: isKnown) else { return true }
    #if _ptrauth(_arm64e)
    return kind == MetadataKind.structure
    #else
    return kind == MetadataKind.structure && MetadataKind.word(1, of: type) == MetadataKind.word(1, of: other)
    #endif
}

/// Returns whether values of other types can be of this one: whether it is a protocol or a class.
func isAbstract(_ type: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> Bool {
    guard let kind = MetadataKind.of(type, isKnown: isKnown) else {
        return type is AnyClass || "\(Swift.type(of: type))".hasSuffix(".Protocol")
    }
    return !MetadataKind.ofValues.contains(kind)
}

/// Returns whether values of a type are references to objects of a class. False if that takes longer to find out.
@inline(__always)
func isClass(_ type: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> Bool {
    guard let kind = MetadataKind.of(type, isKnown: isKnown) else { return false }
    // A class has 0 there, or the address of its own metadata.
    return kind == 0 || kind > MetadataKind.last
}

/// Returns an `Optional` as a type that knows its wrapped type, or nil for another type.
func asOptional(_ type: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> (any OptionalType.Type)? {
    let kind = MetadataKind.of(type, isKnown: isKnown)
    return kind == nil || kind == MetadataKind.optional ? type as? any OptionalType.Type : nil
}

/// Returns a type that is not registered itself as one that provides its values, or nil for another type.
func asComposed(_ type: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> (any ComposedType.Type)? {
    mayBeComposed(type, isKnown: isKnown) ? type as? any ComposedType.Type : nil
}

/// Returns whether a type can be one that is not registered itself and provides its values.
func mayBeComposed(_ type: Any.Type, isKnown: Bool = MetadataKind.isKnown) -> Bool {
    let kind = MetadataKind.of(type, isKnown: isKnown)
    return kind == nil || kind == MetadataKind.optional || kind == MetadataKind.structure
}

#if canImport(Darwin)
internal import Darwin
#elseif canImport(Musl)
internal import Musl
#else
internal import Glibc
#endif

/// The functions of the Swift runtime that list the stored properties of a type, without an instance.
///
/// `Mirror` uses them with an instance, and they are not public. They are looked up by name, so that a program also
/// starts where a runtime does not have them, or where a static one does not export them.
///
/// The unsafe code of this module is in this type. It is sound, for these reasons:
/// - A type and a pointer to its metadata have the same representation, and metadata exists as long as the process.
/// - The functions take and return integers and pointers, in the registers in which C passes them on all platforms, and
///   have had these parameters since Swift 5.5, which is older than the oldest platform.
/// - They read an instance of enums only, for which they are not called.
/// - `Field` begins with the two pointers that the runtime writes, and has room for its two flags.
package struct TypeReflection: Sendable {
    /// What the runtime writes about a stored property.
    private struct Field {
        var name: UnsafePointer<CChar>?
        var free: FreeName?
        var flags: UInt = 0
    }
    private typealias FreeName = @convention(c) (UnsafePointer<CChar>?) -> Void
    private typealias Measure = @convention(c) @Sendable (UnsafeRawPointer) -> Int
    private typealias Child =
        @convention(c) @Sendable (UnsafeRawPointer, Int, UnsafeMutableRawPointer) -> UnsafeRawPointer

    /// Class, structure and tuple.
    private static let kinds = [0, 0x200, 0x301]

    private let kind: Measure
    private let count: Measure
    private let child: Child

    package static let runtime = TypeReflection(prefix: "swift_reflectionMirror_recursive")

    /// Looks the functions up. Nil if the process has none with this beginning of their names.
    package init?(prefix: String) {
        let process = dlopen(nil, RTLD_LAZY)
        guard let kind = dlsym(process, "swift_getMetadataKind"), let count = dlsym(process, prefix + "Count"),
            let child = dlsym(process, prefix + "ChildMetadata")
        else { return nil }
        self.kind = unsafeBitCast(kind, to: Measure.self)
        self.count = unsafeBitCast(count, to: Measure.self)
        self.child = unsafeBitCast(child, to: Child.self)
    }

    /// The stored properties of a class with its superclasses, an actor, a structure or a tuple. Other types have none.
    func storedProperties(of type: Any.Type) -> [(name: String, type: Any.Type)] {
        let metadata = unsafeBitCast(type, to: UnsafeRawPointer.self)
        guard Self.kinds.contains(kind(metadata)) else { return [] }
        return (0..<count(metadata)).map { index in
            var field = Field()
            let type = withUnsafeMutablePointer(to: &field) { child(metadata, index, $0) }
            defer { field.free?(field.name) }
            return (field.name.map { String(cString: $0) } ?? "", unsafeBitCast(type, to: Any.Type.self))
        }
    }
}

internal import CInjectle

/// A published service that contributes to a list, as a reader finds it.
@usableFromInline
@safe
@frozen
struct Contribution {
    private let order: Int
    @usableFromInline let service: UnsafeMutableRawPointer

    /// The largest number that readers find. Longer lists take the slow path.
    @usableFromInline static var limit: Int {
        @inlinable @inline(__always) get { 16 }
    }

    /// Stores the services that contribute to the list of a type in the nearest locator that has any, in order of
    /// registration. Returns their number, or 0 if a service is not published or there are none. Called inside a read section.
    @usableFromInline
    static func findAll(
        of type: Any.Type,
        from origin: UnsafeMutablePointer<LocatorHeader>,
        storingIn all: UnsafeMutableBufferPointer<Contribution>
    ) -> Int {
        guard unsafe LocatorHeader.isPlain(origin), let all = all.baseAddress else { return 0 }
        let tag = Locator.Identity.tagContributing(to: type)
        var header = unsafe origin
        while true {
            var count = 0
            if let block = unsafe injectle_load(&header.pointee.table) {
                let areReadable = unsafe EntryTable.allSatisfy(tagged: tag, in: block) { entry in
                    unsafe add(.fromOpaque(entry), to: type, in: all, &count)
                }
                if !areReadable { return 0 }
            }
            if count > 0 { return count }
            guard let parent = unsafe header.pointee.parent else { return 0 }
            unsafe header = unsafe parent
        }
    }

    /// Inserts the service of an entry behind the services of earlier registrations. Returns false if that is not possible.
    @inline(__always)
    private static func add(
        _ entry: Unmanaged<Entry>,
        to type: Any.Type,
        in all: UnsafeMutablePointer<Contribution>,
        _ count: inout Int
    ) -> Bool {
        let (order, contributes) = unsafe entry.withHeader { header in
            unsafe (header.pointee.order, header.pointee.isPlainContribution && header.pointee.identity.type == type)
        }
        guard contributes, count < limit, let service = unsafe entry.service else { return false }
        var place = unsafe all + count
        while unsafe place > all, unsafe (place - 1).pointee.order > order {
            unsafe place.pointee = (place - 1).pointee
            unsafe place -= 1
        }
        unsafe place.initialize(to: Contribution(order: order, service: service))
        count += 1
        return true
    }
}

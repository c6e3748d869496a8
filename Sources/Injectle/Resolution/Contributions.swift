internal import CInjectle

/// A published service that contributes to a list, as a reader finds it.
@usableFromInline
@safe
struct Contribution {
    private let order: Int
    @usableFromInline let service: UnsafeMutableRawPointer

    /// The largest number that readers find. Longer lists take the slow path.
    private static let limit = 16

    /// Calls `body` with the services that contribute to the list of a type in the nearest locator that has any, in order of
    /// registration. Returns false, without the call, if a service is not published or there are none. Called inside a read
    /// section.
    @usableFromInline
    static func withAll(
        of type: Any.Type,
        from origin: UnsafeMutablePointer<LocatorHeader>,
        _ body: (UnsafeBufferPointer<Contribution>) -> Void
    ) -> Bool {
        guard unsafe LocatorHeader.isPlain(origin) else { return false }
        let tag = Locator.Identity.tagContributing(to: type)
        return unsafe withUnsafeTemporaryAllocation(of: Contribution.self, capacity: limit) { all in
            var header = unsafe origin
            while true {
                var count = 0
                if let block = unsafe injectle_load(&header.pointee.table) {
                    let areReadable = unsafe EntryTable.allSatisfy(tagged: tag, in: block) { entry in
                        unsafe add(.fromOpaque(entry), to: type, in: all, &count)
                    }
                    if !areReadable { return false }
                }
                if count > 0 {
                    unsafe body(UnsafeBufferPointer(rebasing: all[..<count]))
                    return true
                }
                guard let parent = unsafe header.pointee.parent else { return false }
                unsafe header = unsafe parent
            }
        }
    }

    /// Inserts the service of an entry behind the services of earlier registrations. Returns false if that is not possible.
    @inline(__always)
    private static func add(
        _ entry: Unmanaged<Entry>,
        to type: Any.Type,
        in all: UnsafeMutableBufferPointer<Contribution>,
        _ count: inout Int
    ) -> Bool {
        let (order, contributes) = unsafe entry.withHeader { header in
            unsafe (header.pointee.order, header.pointee.isPlainContribution && header.pointee.identity.type == type)
        }
        guard contributes, count < limit, let service = unsafe entry.service else { return false }
        var position = count
        while position > 0, unsafe all[position - 1].order > order {
            unsafe all[position] = all[position - 1]
            position -= 1
        }
        unsafe all[position] = unsafe Contribution(order: order, service: service)
        count += 1
        return true
    }
}

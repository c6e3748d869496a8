internal import Injectle

// The loops of the synchronous operations. They are never inlined, so the compiler does not see which locator they use.

/// Repeats an operation in a locator.
typealias Operation = @MainActor (_ locator: Locator, _ count: Int) throws -> Void

// Children.

@inline(never)
func makeChildren(of locator: Locator, _ count: Int) {
    for _ in 0..<count { _ = locator.child() }
}

@inline(never)
func makeChildrenWithValue(of locator: Locator, _ count: Int) {
    for _ in 0..<count { locator.child().register(.eager(LiveStore()), for: (any Store).self) }
}

@inline(never)
func makeChildrenWithPlainValue(of locator: Locator, _ count: Int) {
    for _ in 0..<count { locator.child().register(.eager(LiveStore())) }
}

@inline(never)
func makeChildrenWithTwoValues(of locator: Locator, _ count: Int) {
    for _ in 0..<count {
        let child = locator.child()
        child.register(.eager(LiveStore()), for: (any Store).self)
        child.register(.eager(LiveClock()), for: (any Clock).self)
    }
}

@inline(never)
func overrideStore(of locator: Locator, _ count: Int) throws {
    for _ in 0..<count {
        let child = locator.child()
        child.register(.eager(LiveStore()), for: (any Store).self)
        _ = try Locator.$shared.withValue(child) { try Locator.shared.resolve((any Store).self) }
    }
}

@inline(never)
func handleRequests(in locator: Locator, _ count: Int) throws {
    for _ in 0..<count {
        let child = locator.child("request")
        child.register(.eager(LiveStore()), for: (any Store).self)
        child.register(.eager(LiveClock()), for: (any Clock).self)
        _ = try child.resolve((any Handler).self)
    }
}

// Existing services.

@inline(never)
func resolveStore(from locator: Locator, _ count: Int) throws {
    for _ in 0..<count { _ = try locator.resolve((any Store).self) }
}

@inline(never)
func readStore(of screen: Screen, _ count: Int) {
    for _ in 0..<count { _ = screen.store }
}

@inline(never)
func resolveByStringKey(from locator: Locator, _ count: Int) throws {
    for _ in 0..<count { _ = try locator.resolve((any Store).self, key: "replica") }
}

@inline(never)
func resolveByServiceKey(from locator: Locator, _ count: Int) throws {
    for _ in 0..<count { _ = try locator.resolve(.archive) }
}

@inline(never)
func resolvePerArgument(from locator: Locator, _ count: Int) throws {
    for _ in 0..<count { _ = try locator.resolve((any Store).self, arguments: 7) }
}

// Transient services.

@inline(never)
func resolveSharedReport(_ count: Int) throws {
    for _ in 0..<count { _ = try Locator.shared.resolve((any Report).self) }
}

@inline(never)
func resolvePage(from locator: Locator, _ count: Int) throws {
    for _ in 0..<count { _ = try locator.resolve(Page.self) }
}

public import Injectle

/// A module that runs a closure.
public struct ClosureModule: Locator.Module {
    public let id: AnyHashable
    private let body: (Locator) throws -> Void

    public init(id: AnyHashable = "closure", body: @escaping (Locator) throws -> Void) {
        self.id = id
        self.body = body
    }

    public func register(in locator: Locator) throws { try body(locator) }
}

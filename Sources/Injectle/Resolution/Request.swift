/// A request for a service: what to resolve, and the call that requests it.
@usableFromInline final class Request: Sendable {
    /// The function or property that requests the service, as errors name it, and its source line.
    @usableFromInline typealias Origin = (requester: StaticString, location: SourceLocation)

    /// The requested type, which can be an `Optional`, and the key.
    let identity: Locator.Identity
    let arguments: Arguments?
    let origin: Origin
    /// Whether to return nil, and not to throw, if nothing is registered.
    let isOptional: Bool
    /// Whether the locator is an override, if the task does not tell.
    let isOverride: Bool?

    var location: SourceLocation { origin.location }

    init(
        _ identity: Locator.Identity,
        _ arguments: Arguments? = nil,
        _ origin: Origin,
        isOptional: Bool = false,
        isOverride: Bool? = nil
    ) {
        (self.identity, self.arguments, self.origin) = (identity, arguments, origin)
        (self.isOptional, self.isOverride) = (isOptional, isOverride)
    }

    @usableFromInline convenience init(
        _ type: Any.Type,
        _ key: Locator.Key?,
        _ arguments: Arguments?,
        _ requester: StaticString,
        _ location: SourceLocation,
        isOptional: Bool = false
    ) {
        self.init(Locator.Identity(type, key), arguments, (requester, location), isOptional: isOptional)
    }

    /// The request for a part of the requested value.
    func part(_ type: Any.Type, isOptional: Bool = false) -> Request {
        let identity = Locator.Identity(type, identity.keyed)
        return Request(identity, arguments, origin, isOptional: isOptional, isOverride: isOverride)
    }
}

extension Request {
    /// An origin as errors print it.
    static func text(_ origin: Origin) -> String { "\(origin.requester) in \(origin.location)" }
}

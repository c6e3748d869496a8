/// A request for a service: what to resolve, and the call that requests it.
@usableFromInline struct Request: Sendable {
    /// The call or the property that requests a service.
    @frozen @usableFromInline struct Origin: Sendable {
        /// What requests the service.
        @frozen @usableFromInline enum Kind: Sendable {
            /// A call of a function, or a ``Locator/Lazy``.
            case call
            case property
            /// A decorator, which requests the service that it wraps.
            case decorator
        }

        /// The function or property, as errors name it.
        @usableFromInline let requester: StaticString
        @usableFromInline let kind: Kind
        @usableFromInline let location: SourceLocation

        @inlinable init(_ requester: StaticString, _ location: SourceLocation, _ kind: Kind = .call) {
            self.requester = requester
            self.kind = kind
            self.location = location
        }

        /// The origin as errors print it.
        var text: String { "\(requester) in \(location)" }
    }

    /// The requested type, which can be an `Optional`, and the key.
    let identity: Locator.Identity
    let arguments: Arguments?
    let origin: Origin
    /// Whether to return nil, and not to throw, if nothing is registered.
    let isOptional: Bool
    /// Whether the locator was bound in a task: nil if the calling task tells.
    let isBound: Bool?

    init(
        _ identity: Locator.Identity,
        _ arguments: Arguments? = nil,
        _ origin: Origin,
        isOptional: Bool = false,
        isBound: Bool? = nil
    ) {
        self.identity = identity
        self.arguments = arguments
        self.origin = origin
        self.isOptional = isOptional
        self.isBound = isBound
    }

    @usableFromInline init(
        _ type: Any.Type,
        _ key: Locator.Key?,
        _ arguments: Arguments?,
        _ requester: StaticString,
        _ location: SourceLocation,
        isOptional: Bool = false
    ) {
        self.init(Locator.Identity(type, key), arguments, Origin(requester, location), isOptional: isOptional)
    }

    /// The request for a part of the requested value.
    func part(_ type: Any.Type, isOptional: Bool = false) -> Request {
        let identity = Locator.Identity(type, identity.keyed)
        return Request(identity, arguments, origin, isOptional: isOptional, isBound: isBound)
    }
}

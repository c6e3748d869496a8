/// Why a service could not be had, or a registration not be made.
///
/// Its text says what was asked and from where, on which path, what comes close, and the line that mends it.
///
/// ```swift
/// do {
///     try Injectle[.default].registerSingleton(DeLorean(), and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     // There is one already.
/// }
/// ```
///
/// Two errors are equal if code and identity are.
public struct InjectleError: Error, Equatable, CustomStringConvertible {
    /// What kind of error it is: a list that can grow.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code.
        public let description: String
    }

    /// No service is registered under type and key, and none under the key alone.
    public static let missing = Code(description: "missing")
    /// What is registered is not of the type it was asked for or registered as.
    public static let wrongType = Code(description: "wrongType")
    /// A registration was not to replace another.
    public static let forbiddenReassignment = Code(description: "forbiddenReassignment")
    /// A service needs itself, directly or through others.
    public static let cycle = Code(description: "cycle")
    /// Two threads or more would each wait for what another makes.
    public static let deadlock = Code(description: "deadlock")
    /// A graph of services is deeper than any that ends.
    public static let tooDeep = Code(description: "tooDeep")
    /// A service belongs to an actor that the asking code is not on.
    public static let wrongIsolation = Code(description: "wrongIsolation")
    /// A factory, or a hook, threw an error, which is the ``underlying`` one.
    public static let factoryFailed = Code(description: "factoryFailed")
    /// A factory ended because its task was cancelled, or the task that awaited a service was.
    public static let cancelled = Code(description: "cancelled")
    /// A service that is made by an asynchronous closure is not there yet, and was asked for by code that cannot await
    /// it.
    public static let asynchronous = Code(description: "asynchronous")
    /// A service is registered only for arguments other than those that it was asked for with.
    public static let wrongArguments = Code(description: "wrongArguments")
    /// A service is to be kept weakly, or unowned, and is no object.
    public static let notAnObject = Code(description: "notAnObject")
    /// An object that was registered unowned has gone.
    public static let released = Code(description: "released")
    /// A service is to be kept by a locator of some name, and neither the one that was asked nor an ancestor has it.
    public static let noSuchLocator = Code(description: "noSuchLocator")
    /// An instance cannot be dropped without its registration, since there is nothing to make another one by.
    public static let notResettable = Code(description: "notResettable")
    /// A file that values are to be registered from is missing or malformed, or does not fit the type.
    public static let unreadableResource = Code(description: "unreadableResource")
    /// A locator's start took longer than it was allowed to.
    public static let startTimedOut = Code(description: "startTimedOut")
    /// A service could not be disposed of, since a disposer threw, which is the ``underlying`` error, or nobody could
    /// await it.
    public static let disposalFailed = Code(description: "disposalFailed")
    /// The locator is closed, or is being closed and makes nothing new that it would keep.
    public static let locatorClosed = Code(description: "locatorClosed")
    /// The locator has let go of everything, since nobody refers to it any more.
    public static let locatorEnded = Code(description: "locatorEnded")

    // One pointer wide, so that a typed throw costs what an untyped one does.
    private let details: Details

    /// What kind of error it is.
    public var code: Code { details.code }

    /// What was asked for or registered.
    public var identity: ServiceKey { details.identity }

    /// What was being made, from the outermost resolve to the one that failed.
    public var path: [ServiceKey] { details.path }

    /// What a factory threw, or what reading or decoding a file did.
    public var underlying: (any Error)? { details.underlying }

    /// The whole text.
    public var description: String { details.text }

    public static func == (left: InjectleError, right: InjectleError) -> Bool {
        left.code == right.code && left.identity == right.identity
    }

    /// What has to be there before it can succeed, and can be awaited.
    var needed: Needed? { details.needed }

    /// The same, for who cannot do anything about it.
    var withoutNeed: InjectleError {
        needed == nil ? self : InjectleError(details: details.withoutNeed)
    }

    private init(details: Details) {
        self.details = details
    }

    init(
        _ code: Code,
        _ identity: ServiceKey,
        _ report: Report,
        underlying: (any Error)? = nil,
        needing needed: Needed? = nil
    ) {
        details = Details(
            code: code,
            identity: identity,
            path: report.path,
            underlying: underlying,
            text: report.description,
            needed: needed
        )
    }

    private final class Details: Sendable {
        let code: Code
        let identity: ServiceKey
        let path: [ServiceKey]
        let underlying: (any Error)?
        let text: String
        let needed: Needed?

        init(
            code: Code,
            identity: ServiceKey,
            path: [ServiceKey],
            underlying: (any Error)?,
            text: String,
            needed: Needed?
        ) {
            self.code = code
            self.identity = identity
            self.path = path
            self.underlying = underlying
            self.text = text
            self.needed = needed
        }

        var withoutNeed: Details {
            Details(code: code, identity: identity, path: path, underlying: underlying, text: text, needed: nil)
        }
    }
}

extension InjectleError.Code {
    /// Makes `catch InjectleError.missing` and `case InjectleError.missing:` work.
    public static func ~= (code: InjectleError.Code, error: any Error) -> Bool {
        (error as? InjectleError)?.code == code
    }
}

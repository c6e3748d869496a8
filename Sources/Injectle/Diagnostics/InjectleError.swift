/// The reason why a service is not available, or why a registration, a module or a file is refused.
///
/// The text states the request and its source line, the outermost request, the path, similar registrations and the fix.
/// It never contains services, arguments or values. Keys are printed as in ``Locator/Identity/description``: their type
/// and the first 32 characters of their text.
///
/// ```swift
/// do {
///     _ = try locator.resolve((any Car).self)
/// } catch {
///     print(error == .missing)  // Prints "true"
/// }
/// ```
///
/// Each kind of error is a static member. To catch one kind, name it:
///
/// ```swift
/// do {
///     try locator.registerSingleton(DeLorean(), and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     // A car is registered already.
/// }
/// ```
///
/// Later versions can add kinds, so a `switch` needs a default case. In Swift Testing,
/// `#expect(throws: InjectleError.missing) { … }` compares the kind.
///
/// Two errors are equal if they are of one kind. An error is immutable, and any thread can use it. Functions that
/// resolve throw no other error, so `catch` needs no cast. A property cannot throw: it traps with the text. A function
/// of your own can throw a member as it is, which then has no ``identity`` and a text of one sentence.
public struct InjectleError: Error, Hashable, CustomStringConvertible {
    /// The kind of an error, with the text of an error without details.
    enum Kind: String {
        case missing = "No service is registered as requested."
        case wrongType = "A service is not of the type that it is registered or requested as."
        case wrongArguments = "A service is registered for other arguments."
        case wrongIsolation = "A service is isolated to an actor that the caller does not run on."
        case requiresAsync = "A service requires async creation, and does not exist yet."
        case circularDependency = "A service or a module depends on itself."
        case deadlock = "Threads or tasks would wait for each other."
        case factoryFailed = "A factory closure or a hook threw an error."
        case forbiddenReassignment = "A service is already registered, and may not be replaced."
        case locatorClosed = "The locator is closed, or has been released."
        case locatorNotFound = "No locator has the name that a lifetime requires."
        case invalidRegistration = "A registration cannot work."
        case cancelled = "The creation of a service was cancelled."
        case startTimedOut = "The start of a locator timed out."
        case disposalFailed = "A service could not be disposed of."
    }

    /// No service is registered under the type and key, and none under the key alone.
    ///
    /// The service is not registered at all, or in another locator, under another key or as another type: the text
    /// lists similar registrations, and the fix. Where a service is optional, use
    /// ``Locator/resolveOptional(_:key:arguments:fileID:line:)`` or ``Optject``.
    public static let missing = InjectleError(.missing)

    /// A service is not of the type that it is registered or requested as.
    ///
    /// The closure returns a service that does not have a type of ``Locator/Registration/as(_:key:)``, or a key alone
    /// leads to a service of another type. Correct the type in the registration, or use another key.
    public static let wrongType = InjectleError(.wrongType)

    /// A service is registered for other arguments only.
    ///
    /// The text lists the arguments that the registrations declare: pass these, in number, order and type. An argument
    /// of a service with a lifetime per argument must be `Hashable`.
    public static let wrongArguments = InjectleError(.wrongArguments)

    /// A service is isolated to an actor that the caller does not run on.
    ///
    /// A synchronous caller requests a service that does not exist yet: of the main actor, if that does not start the
    /// creation in time; of another actor, always. An async caller gets it where the actor was released.
    ///
    /// Use ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, create the service earlier by
    /// ``Locator/Registration/atStart()``, or register it with `.anywhere` if any thread may create it.
    public static let wrongIsolation = InjectleError(.wrongIsolation)

    /// A service has an async closure and does not exist yet, and a synchronous caller requests it.
    ///
    /// Use ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, or create the service earlier by
    /// ``Locator/start(timeout:isolation:fileID:line:)``.
    public static let requiresAsync = InjectleError(.requiresAsync)

    /// A service or a module depends on itself, directly or through others, or dependencies are too deep.
    ///
    /// Circular dependencies are errors in any lifetime; ``path`` contains the circle. To break it, resolve one of the
    /// services later: by a property marked ``Inject``, by ``Locator/Lazy``, by ``Locator/Provider``, or by
    /// `.injecting`.
    ///
    /// Dependencies can be 200 levels deep, or less where the stack of the thread is small. The usual cause of deeper
    /// ones is a closure that resolves its own type with ever new keys or arguments.
    public static let circularDependency = InjectleError(.circularDependency)

    /// A wait would never end: for a service whose creation waits for the caller, through a close or a module.
    ///
    /// The error replaces a deadlock, and depends on the timing of the threads. Resolve one of the services later, as
    /// with a ``circularDependency``, or create them all on one thread at the start. Creations that only wait for each
    /// other are a circular dependency.
    public static let deadlock = InjectleError(.deadlock)

    /// A factory closure, or a hook, threw an error, which is the ``underlying`` one.
    ///
    /// The locator caches nothing, so the next resolve calls the closure again.
    public static let factoryFailed = InjectleError(.factoryFailed)

    /// A registration may not replace another one.
    ///
    /// The caller passes ``forbidReassignment(in:forKey:)`` as `and:`, or the present registration is
    /// ``Locator/Registration/final()``. Use the present registration, or unregister it first.
    public static let forbiddenReassignment = InjectleError(.forbiddenReassignment)

    /// The locator is closed, is being closed and caches no new instances, or has been released.
    ///
    /// A closed locator does not open again: resolve before it is closed, or use another locator. The last reference to
    /// a locator releases its instances: hold a strong reference as long as they are in use.
    public static let locatorClosed = InjectleError(.locatorClosed)

    /// A lifetime names a locator, and neither the locator of the request nor an ancestor has that name.
    ///
    /// The lifetime is ``Locator/Lifetime/perLocator(named:)``. Resolve from a locator of that name, or from a child of
    /// one.
    public static let locatorNotFound = InjectleError(.locatorNotFound)

    /// A registration cannot work, whoever requests its service.
    ///
    /// A service with a weak lifetime is not an object: register it with another lifetime, such as `.lazy`, or
    /// make it a class. The text names the fault and the fix.
    public static let invalidRegistration = InjectleError(.invalidRegistration)

    /// A closure ended because its task was cancelled, or a task was cancelled that waited for a service.
    ///
    /// A closure that throws a `CancellationError` has the same result. The next resolve creates the service, unless
    /// other callers still wait for it.
    public static let cancelled = InjectleError(.cancelled)

    /// The start of a locator exceeded its timeout.
    ///
    /// The text lists which services exist, which do not, and which wait for others. To create the rest, start again or
    /// allow more time.
    public static let startTimedOut = InjectleError(.startTimedOut)

    /// An `onDispose` hook threw the ``underlying`` error.
    ///
    /// Returned by ``Locator/close(gracePeriod:isolation:)``, and reported to behaviors as ``Locator/Event/failure``.
    /// The instance is released all the same.
    public static let disposalFailed = InjectleError(.disposalFailed)

    // One pointer wide, so that a typed throw costs what an untyped one does.
    private let details: Details

    private final class Details: Sendable {
        let kind: Kind
        let identity: Locator.Identity?
        let path: [Locator.Identity]
        let underlying: (any Error)?
        /// The number of the need that an async caller can satisfy, if there is one.
        let need: Int?
        /// Whether the main actor did not start a creation in time.
        let isTimeout: Bool
        let report: @Sendable () -> Report

        init(
            _ kind: Kind,
            _ identity: Locator.Identity? = nil,
            path: [Locator.Identity] = [],
            underlying: (any Error)? = nil,
            need: Int? = nil,
            isTimeout: Bool = false,
            report: @escaping @Sendable () -> Report
        ) {
            self.kind = kind
            self.identity = identity
            self.path = path
            self.underlying = underlying
            self.need = need
            self.isTimeout = isTimeout
            self.report = report
        }
    }

    /// The kind of the error, which alone makes errors equal.
    var kind: Kind { details.kind }

    /// The identity that was requested or registered; in an error of a creation, the identity of the
    /// missing service. Nil in an error that is thrown as a member, without details.
    public var identity: Locator.Identity? { details.identity }

    /// The services that were being created, from the outermost to the requester of the ``identity``.
    ///
    /// The path does not contain the identity itself, unless that is also being created, as in a
    /// ``circularDependency``. It is empty outside of creations.
    public var path: [Locator.Identity] { details.path }

    /// The error that a closure, a hook, or the reading of a file threw.
    ///
    /// However deep in the ``path`` a closure threw it, this is its own error, and ``identity`` is the service of that
    /// closure. Nil if no such error was thrown.
    public var underlying: (any Error)? { details.underlying }

    /// The whole text: one sentence, and a list of facts.
    ///
    /// The text is built when it is read. Where it lists similar registrations and the state of locators, these are the
    /// ones of that moment.
    ///
    /// - Complexity: O(*n*) in the number of registrations for a ``missing`` service, else O(1).
    public var description: String { details.report().text }

    /// The changes in the text, the likeliest first.
    package var fixes: [String] { details.report().fixes }

    /// Returns whether two errors are of one kind.
    public static func == (left: InjectleError, right: InjectleError) -> Bool { left.kind == right.kind }

    /// Hashes the kind of the error.
    public func hash(into hasher: inout Hasher) { hasher.combine(kind) }

    /// Matches an error of the same kind, so that `catch InjectleError.missing` compiles.
    public static func ~= (pattern: InjectleError, error: any Error) -> Bool { (error as? InjectleError) == pattern }

    /// The number of the service that must exist before the caller can succeed, if the caller can await it.
    var need: Int? { details.need }

    /// Whether the wait of a thread for the main actor timed out.
    var isTimeout: Bool { details.isTimeout }

    /// Whether the error concerns only the creation that failed, so that another one may succeed.
    var concernsOneCreation: Bool {
        switch kind {
        case .cancelled, .wrongIsolation, .requiresAsync, .circularDependency, .deadlock: true
        case .missing, .wrongType, .wrongArguments, .factoryFailed, .forbiddenReassignment, .locatorClosed,
            .locatorNotFound, .invalidRegistration, .startTimedOut, .disposalFailed:
            false
        }
    }

    /// Whether the locator of the request does not have the service, or not any more.
    var isOfAbsentService: Bool {
        switch kind {
        case .missing, .locatorNotFound, .wrongArguments, .locatorClosed: true
        case .wrongType, .wrongIsolation, .requiresAsync, .circularDependency, .deadlock, .factoryFailed,
            .forbiddenReassignment, .invalidRegistration, .cancelled, .startTimedOut, .disposalFailed:
            false
        }
    }

    /// An error without details.
    private init(_ kind: Kind) {
        details = Details(kind) { Report(path: [], identity: Locator.Identity(Locator.self), sentence: kind.rawValue) }
    }

    /// - Parameters:
    ///   - request: The origin that the text names.
    ///   - record: The registration that the text names.
    ///   - fix: The last fact, unless `describe` adds it.
    ///   - describe: Returns the sentence, and adds facts. It may keep cores, which keep no instances once their
    ///     locators are released, but no entries, records, requests or lifetimes, which do.
    init(
        _ kind: Kind,
        _ identity: Locator.Identity,
        _ request: Request? = nil,
        registered record: AnyRecord? = nil,
        underlying: (any Error)? = nil,
        need: Int? = nil,
        isTimeout: Bool = false,
        fix: String? = nil,
        _ describe: @escaping @Sendable (inout Report) -> String
    ) {
        let path = Frame.path
        let origin = request?.origin
        let outermost = Frame.outermostOrigin
        let registered = record.map { ($0.traits.location, $0.traits.lifetime.description) }
        // An error about the service that is being created has that once in its path.
        let isAboutRequester = kind == .wrongArguments && path.last == identity
        let report = { @Sendable in
            var report = Report(path: isAboutRequester ? path.dropLast() : path, identity: identity)
            if let origin { report.add(origin.text, startedBy: outermost?.text) }
            if let (location, lifetime) = registered { report.add("registered", "in \(location), \(lifetime)") }
            report.sentence = describe(&report)
            if let fix { report.fix(fix) }
            return report
        }
        details = Details(
            kind,
            identity,
            path: path,
            underlying: underlying,
            need: need,
            isTimeout: isTimeout,
            report: report
        )
    }
}

import Injectle
import Testing

/// User code that the library calls.
enum FaultSite: String, CaseIterable, Sendable {
    case factory, hook, disposer, asyncDisposer, equality, hash, check, scope, `deinit`
    // The functions of a module.
    case registerPhase, lastPhase
    // The functions of a behavior.
    case didRegister, willCreate, didCreate, didResolve, didUnregister, didDispose
}

/// What that code does, once.
enum Fault: String, CaseIterable, Sendable {
    /// Throws an error of its own.
    case throwsError
    /// Throws a `CancellationError`.
    case throwsCancellation
    /// Resolves services that require each other, until the stack is too short.
    case usesUpStack
    case resolvesSame, resolvesOther, registersOther, unregistersItself, resetsLocator, closesLocator
    /// Does not return until others have used the locator.
    case neverReturns
    /// Does not return until the task that runs the operation is cancelled.
    case awaitsCancellation
}

/// An operation of the library that runs the code.
enum FaultPath: String, CaseIterable, Sendable {
    case resolve, resolveAsync, property, resolveAll, lazy, provider, start
    case unregister, replace, reset, close, apply, childRelease
}

/// The lifetime of the service: each has a path of its own through the library.
enum FaultLifetime: String, CaseIterable, Sendable {
    case lazy, perLocator
    /// Without a key, so that a resolve needs nothing but the factory closure.
    case volatile
    case graph
}

/// A case of the table: a fault of one piece of user code, in one operation.
///
/// The table has all combinations but those that `exclusion` gives a reason for. The other properties are the rules
/// that each case is tested against.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let site: FaultSite
    let fault: Fault
    let path: FaultPath
    let lifetime: FaultLifetime

    var testDescription: String { "\(site) \(fault) in \(path), \(lifetime)" }

    static let all: [FaultCase] = FaultSite.allCases.flatMap { site in
        Fault.allCases.flatMap { fault in
            FaultPath.allCases.flatMap { path in
                FaultLifetime.allCases.map { FaultCase(site: site, fault: fault, path: path, lifetime: $0) }
            }
        }
    }.filter { $0.exclusion == nil }

    // MARK: The site

    /// Whether the operation creates the service.
    var creates: Bool {
        switch path {
        case .resolve, .resolveAsync, .property, .resolveAll, .lazy, .provider, .start, .apply: true
        case .unregister, .replace, .reset, .close, .childRelease: false
        }
    }

    /// Whether the operation drops an instance.
    var drops: Bool { !creates }

    /// Whether the code runs in a task, on a thread that a test may not block.
    var runsInTask: Bool {
        switch path {
        case .resolveAsync, .start, .close: true
        default: site == .asyncDisposer
        }
    }

    /// Whether the code itself is async.
    var isAsync: Bool { site == .asyncDisposer || site == .factory && runsInTask }

    var canThrow: Bool {
        switch site {
        case .factory, .hook, .scope, .disposer, .asyncDisposer, .check: true
        default: isPhase
        }
    }

    /// Whether the code is a part of the creation, whose failure it causes.
    var isPartOfCreation: Bool { site == .factory || site == .hook || site == .scope }

    /// Whether the code is a function of a behavior.
    var isBehavior: Bool {
        switch site {
        case .didRegister, .willCreate, .didCreate, .didResolve, .didUnregister, .didDispose: true
        default: false
        }
    }

    var isPhase: Bool { site == .registerPhase || site == .lastPhase }

    /// Whether a cache holds the instance until the locator drops it.
    var isCached: Bool { lifetime == .lazy || lifetime == .perLocator }

    /// Whether the code runs before the locator has found the entry of the service.
    var precedesLookup: Bool { site == .hash || site == .equality || site == .scope }

    /// Whether the code runs before the instance is released.
    var precedesRelease: Bool { site == .didUnregister || site == .didDispose || site == .disposer }

    // MARK: Exclusions

    /// The reason why a case makes no sense, or nil.
    var exclusion: String? { siteExclusion ?? faultExclusion ?? lifetimeExclusion }

    private var siteExclusion: String? {
        switch (site, path) {
        case (.factory, _) where !creates, (.hook, _) where !creates, (.scope, _) where !creates,
            (.willCreate, _) where !creates, (.didCreate, _) where !creates, (.didResolve, _) where !creates:
            "The operation creates no instance."
        case (.didResolve, .start):
            "A start returns no service."
        case (.disposer, _) where !drops, (.deinit, _) where !drops, (.didUnregister, _) where !drops,
            (.didDispose, _) where !drops:
            "The operation drops no instance."
        case (.asyncDisposer, .close):
            nil
        case (.asyncDisposer, _):
            "Only a close awaits an async hook."
        case (.didRegister, .replace), (.didRegister, .apply), (.check, .replace), (.check, .apply):
            nil
        case (.didRegister, _), (.check, _):
            "The operation registers nothing."
        case (_, let path) where isPhase && path != .apply:
            "The operation applies no modules."
        case (.hash, .property), (.hash, .lazy), (.hash, .provider):
            "The key was hashed before."
        case (.hash, .start), (.hash, .reset), (.hash, .close), (.hash, .childRelease),
            (.equality, .start), (.equality, .reset), (.equality, .close),
            (.equality, .childRelease):
            "The operation has no key."
        default:
            nil
        }
    }

    private var faultExclusion: String? {
        switch fault {
        case .throwsError where !canThrow, .throwsCancellation where !canThrow:
            "The code cannot throw."
        case .throwsError where path == .property, .throwsCancellation where path == .property,
            .usesUpStack where path == .property && canThrow, .resolvesSame where path == .property && canThrow:
            "A property cannot throw: it traps."
        case .closesLocator where !isAsync, .awaitsCancellation where !isAsync:
            "Synchronous code cannot await."
        // Any thread can release an instance.
        case .neverReturns where runsInTask && !isAsync || site == .deinit:
            "A test may not block a thread of the cooperative pool."
        default:
            nil
        }
    }

    private var lifetimeExclusion: String? {
        switch (lifetime, site) {
        case (.lazy, _): nil
        case (.perLocator, .factory) where path == .start, (.perLocator, .hook) where path == .start:
            "The start of the registering locator does not create the service."
        case (.perLocator, .factory), (.perLocator, .hook), (.perLocator, .disposer), (.perLocator, .asyncDisposer),
            (.perLocator, .deinit):
            nil
        case (.perLocator, _): "The cache of the instance does not concern the code."
        case (_, .factory), (_, .hook): path == .start ? "A start does not create the service." : nil
        default: "Nothing holds the instance when the operation begins."
        }
    }

    // MARK: Expectations

    /// The outcome of the operation.
    var outcome: FaultOutcome {
        if let thrown {
            if isPartOfCreation { return .failure(thrown.wrapped) }
            if site == .check || isPhase { return .failure(thrown) }
            if runsInTask { return .errors([.disposing(thrown)]) }
        }
        if runsInTask, drops { return .errors([]) }
        if losesService { return missesService }
        // The cell has ended with the locator, and the instance is disposed of.
        let isEnded = path == .resolveAsync && site == .factory && leavesCode
        if fault == .closesLocator, path == .start || isEnded { return .failure(.code(.locatorClosed)) }
        if fault == .awaitsCancellation, leavesCode { return .failure(.cancellation.wrapped) }
        return .success
    }

    /// Whether a cancelled operation ends before the code does: other callers can share the creation.
    var leavesCode: Bool { creates && lifetime != .volatile && lifetime != .graph }

    /// The error that the code throws.
    private var thrown: FaultOutcome.Failure? {
        guard canThrow else { return nil }
        switch fault {
        case .throwsError: return .own
        case .throwsCancellation: return .cancellation
        default: return callOutcome.failure
        }
    }

    /// Whether the operation does not find the service, since the code has removed it.
    private var losesService: Bool {
        guard fault == .unregistersItself || fault == .resetsLocator, creates else { return false }
        // What is removed while it is created is disposed of, and not returned.
        if isPartOfCreation || site == .willCreate || site == .didCreate, isCached { return true }
        // The phase registers the service after these.
        if path == .apply { return site == .scope || site == .didRegister }
        return precedesLookup
    }

    private var missesService: FaultOutcome {
        switch path {
        // The list is empty, a property that can be nil is nil, and a start has one service less.
        case .resolveAll, .property, .start: .success
        default: .failure(.code(.missing))
        }
    }

    /// The outcome of the code's own call of the locator: of a resolve, or of others' while the code does not return.
    var callOutcome: FaultOutcome {
        switch fault {
        case .usesUpStack: .failure(.code(.circularDependency))
        case .resolvesSame: resolvingSame
        case .resolvesOther: resolvingOther
        default: .success
        }
    }

    private var resolvingSame: FaultOutcome {
        // Its hooks run, and the instance exists.
        if site == .hook, lifetime != .volatile { return .success }
        if isPartOfCreation || site == .willCreate || site == .didCreate { return .failure(.code(.circularDependency)) }
        switch path {
        case .childRelease: return precedesRelease ? .success : .failure(.code(.locatorClosed))
        case .unregister, .reset: return precedesLookup || precedesRelease ? .success : .failure(.code(.missing))
        case .close: return site == .deinit || site == .didUnregister ? .failure(.code(.locatorClosed)) : .success
        // The key alone finds another registration.
        case .apply where site == .equality: return .failure(.code(.wrongType))
        case .apply where site == .hash || site == .check || site == .registerPhase:
            return .failure(.code(.missing))
        default: return .success
        }
    }

    private var resolvingOther: FaultOutcome {
        switch path {
        case .reset: .failure(.code(.missing))
        case .close: .failure(.code(.locatorClosed))
        default: .success
        }
    }

    /// Whether the locator is closed at the end.
    var isClosed: Bool { path == .close || fault == .closesLocator }

    /// The number of instances that hooks have disposed of at the end.
    func disposals(ofCreated count: Int) -> Int {
        // The resolve of a list holds its graph instances.
        guard isCached || lifetime == .graph && path == .resolveAll else { return 0 }
        // A hook that throws ends the creation after the factory has returned.
        return site == .hook && thrown != nil ? count - 1 : count
    }

    /// The failures of `onDispose` hooks that a behavior observes.
    var reportedFailures: [FaultOutcome.Failure] {
        guard let thrown, site == .disposer else { return [] }
        return [.disposing(thrown)]
    }
}

/// The outcome of an operation, as a value that a test compares.
enum FaultOutcome: Equatable, Sendable {
    indirect enum Failure: Equatable, Sendable {
        case code(InjectleError)
        /// An error that the library wraps.
        case wrapping(InjectleError, Failure)
        /// The error that the code throws.
        case own
        case cancellation

        init(_ error: any Error) {
            switch error {
            case let error as InjectleError:
                self = error.underlying.map { .wrapping(error, Failure($0)) } ?? .code(error)
            case is CancellationError: self = .cancellation
            default: self = .own
            }
        }

        /// The same as the failure of a creation.
        var wrapped: Failure {
            switch self {
            case .own: .wrapping(.factoryFailed, .own)
            case .cancellation: .wrapping(.cancelled, .cancellation)
            default: self
            }
        }

        /// The same as the failure of a disposal.
        static func disposing(_ failure: Failure) -> Failure { .wrapping(.disposalFailed, failure) }
    }

    case success
    case failure(Failure)
    /// The errors that an operation returns.
    case errors([Failure])

    var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }

    init(_ body: () throws -> Void) {
        do {
            try body()
            self = .success
        } catch {
            self = .failure(Failure(error))
        }
    }

    init(awaiting body: () async throws -> Void) async {
        do {
            try await body()
            self = .success
        } catch {
            self = .failure(Failure(error))
        }
    }
}

/// The reason why a service is not available, or why a registration, a module or a file is refused.
///
/// The text states the request and its source line, the outermost request, the path, similar registrations and the fix.
/// It never contains services, arguments or values. Keys are printed as in ``Locator/Identity/description``: their type and
/// the first 32 characters of their text.
///
/// ```swift
/// do {
///     _ = try locator.resolve((any Car).self)
/// } catch {
///     print(error.code, "of", error.identity)  // Prints "missing of any App.Car"
/// }
/// ```
///
/// To catch one kind of error, name its code:
///
/// ```swift
/// do {
///     try locator.registerSingleton(DeLorean(), and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     // A car is registered already.
/// }
/// ```
///
/// Two errors are equal if their codes and identities are equal. An error is immutable, and any thread can use it.
/// Functions that resolve throw no other error, so `catch` needs no cast. A property cannot throw: it traps with the
/// text.
public struct InjectleError: Error, Equatable, CustomStringConvertible {
    /// The kind of an error. Later versions can add codes, so a `switch` needs a default case.
    ///
    /// ```swift
    /// do {
    ///     _ = try locator.resolve((any Car).self)
    /// } catch {
    ///     switch error.code {
    ///     case .missing: print("no car")  // Prints "no car"
    ///     case .cancelled, .locatorClosed: break
    ///     default: throw error
    ///     }
    /// }
    /// ```
    ///
    /// In Swift Testing, `#expect(throws:)` returns the error, so that a test compares its code:
    ///
    /// ```swift
    /// import Injectle
    /// import Testing
    ///
    /// @Test func aLocatorWithoutRegistrationsHasNoService() {
    ///     let error = #expect(throws: InjectleError.self) { try Locator("empty").resolve(Int.self) }
    ///     #expect(error?.code == .missing)
    /// }
    /// ```
    ///
    /// In XCTest, `XCTAssertThrowsError` passes the error on:
    ///
    /// ```swift
    /// import Injectle
    /// import XCTest
    ///
    /// final class LocatorTests: XCTestCase {
    ///     func testALocatorWithoutRegistrationsHasNoService() {
    ///         XCTAssertThrowsError(try Locator("empty").resolve(Int.self)) { error in
    ///             XCTAssertEqual((error as? InjectleError)?.code, .missing)
    ///         }
    ///     }
    /// }
    /// ```
    ///
    /// A code is a value, and any thread can use it.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as ``InjectleError`` spells it.
        public let description: String
    }

    /// No service is registered under the type and key, and none under the key alone.
    ///
    /// The service is not registered at all, or in another locator, under another key or as another type: the text
    /// lists similar registrations, and the fix. Where a service is optional, use
    /// ``Locator/resolveOptional(_:fileID:line:)-(Service.Type,_,_)`` or ``Optject``.
    public static let missing = Code(description: "missing")
    /// A service is not of the type that it is registered or requested as.
    ///
    /// The closure returns a service that does not have a type of ``Locator/Registration/as(_:key:)``, or a key alone
    /// leads to a service of another type. Correct the type in the registration, or use another key.
    public static let wrongType = Code(description: "wrongType")
    /// A registration may not replace another one.
    ///
    /// The caller passes ``forbidReassignment(in:forKey:)`` as `and:`, or the present registration is
    /// ``Locator/Registration/final()``. Use the present registration, or unregister it first.
    public static let forbiddenReassignment = Code(description: "forbiddenReassignment")
    /// A service or a module depends on itself, directly or through others.
    ///
    /// Circular dependencies are errors in any lifetime; ``path`` contains the circle. To break it, resolve one of the
    /// services later: by a property marked ``Inject``, by ``Locator/Lazy`` or by ``Locator/Provider``.
    public static let cycle = Code(description: "cycle")
    /// Two or more threads or tasks would wait for services that the others create.
    ///
    /// The error replaces a deadlock, and depends on the timing of the threads. Resolve one of the services later, as
    /// with a ``cycle``, or create them all on one thread at the start.
    public static let deadlock = Code(description: "deadlock")
    /// The dependencies of a service are too deep.
    ///
    /// The limit is 200 levels, or less where the stack of the thread is small. The usual cause is a closure that
    /// resolves its own type with ever new keys or arguments.
    public static let tooDeep = Code(description: "tooDeep")
    /// A service is isolated to an actor that the caller does not run on.
    ///
    /// A synchronous caller requests a service that does not exist yet: of the main actor, if that does not start the
    /// creation in time; of another actor, always. An async caller gets it where the actor was released.
    ///
    /// Use ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, create the service earlier by
    /// ``Locator/Registration/atStart()``, or register it with `.anywhere` if any thread may create it.
    public static let wrongIsolation = Code(description: "wrongIsolation")
    /// A factory closure, or a hook, threw an error, which is the ``underlying`` one.
    ///
    /// The locator caches nothing, so the next resolve calls the closure again.
    public static let factoryFailed = Code(description: "factoryFailed")
    /// A closure ended because its task was cancelled, or a task was cancelled that waited for a service.
    ///
    /// A closure that throws a `CancellationError` has the same result. The next resolve creates the service, unless
    /// other callers still wait for it.
    public static let cancelled = Code(description: "cancelled")
    /// A service has an async closure and does not exist yet, and a synchronous caller requests it.
    ///
    /// Use ``Locator/resolveAsync(_:key:arguments:isolation:fileID:line:)``, or create the service earlier by
    /// ``Locator/start(timeout:isolation:fileID:line:onProgress:)``.
    public static let requiresAsync = Code(description: "requiresAsync")
    /// A service is registered for other arguments only.
    ///
    /// The text lists the arguments that the registrations declare: pass these, in number, order and type. An argument
    /// of a service with a lifetime per argument must be `Hashable`.
    public static let wrongArguments = Code(description: "wrongArguments")
    /// A service with a weak lifetime is not an object.
    ///
    /// Register it with another lifetime, such as `.lazy`, or make it a class.
    public static let notAnObject = Code(description: "notAnObject")
    /// An object that was registered unowned has been released.
    ///
    /// Hold a strong reference to the object as long as others resolve it, or register it by `.eager`.
    public static let instanceReleased = Code(description: "instanceReleased")
    /// A lifetime names a locator, and neither the locator of the request nor an ancestor has that name.
    ///
    /// The lifetime is ``Locator/Lifetime/perLocator(named:)``. Resolve from a locator of that name, or from a child of
    /// one.
    public static let locatorNotFound = Code(description: "locatorNotFound")
    /// An instance cannot be reset, since its registration cannot create another one.
    ///
    /// Replace the registration of an instance.
    public static let notResettable = Code(description: "notResettable")
    /// The start of a locator exceeded its timeout.
    ///
    /// The text lists which services exist, which do not, and which wait for others. To create the rest, start again or
    /// allow more time.
    public static let startTimedOut = Code(description: "startTimedOut")
    /// A ``Locator/Registration/running(_:)`` closure returned, or threw the ``underlying`` error, before its instance was
    /// disposed of.
    ///
    /// Thrown by ``Locator/run(timeout:gracePeriod:isolation:fileID:line:onDisposalErrors:_:)``. The closure should return only when its
    /// task is cancelled.
    public static let runFailed = Code(description: "runFailed")
    /// Children of a locator were still open when its run and the grace period after it had ended.
    ///
    /// Reported by ``Locator/run(timeout:gracePeriod:isolation:fileID:line:onDisposalErrors:_:)``, which has closed them. Close or release
    /// a child that lives longer than a request before the run ends.
    public static let childrenOpen = Code(description: "childrenOpen")
    /// An `onDispose` hook threw the ``underlying`` error, or no caller could wait for an async one.
    ///
    /// Returned by ``Locator/close(isolation:)`` and by the other functions that await hooks, and reported to behaviors
    /// as ``Locator/Event/failure``. The instance is released all the same.
    public static let disposalFailed = Code(description: "disposalFailed")
    /// The locator is closed, or is being closed and caches no new instances.
    ///
    /// A closed locator does not open again: resolve before it is closed, or use another locator.
    public static let locatorClosed = Code(description: "locatorClosed")
    /// The last reference to the locator has been released, and so have its instances.
    ///
    /// Hold a strong reference to the locator as long as its instances are in use.
    public static let locatorReleased = Code(description: "locatorReleased")

    /// The registrations of a locator have faults, which ``findings`` lists.
    ///
    /// Thrown by ``Locator/check(roots:)-9d1oi``. The text has the source lines and the fix of each.
    public static let invalid = Code(description: "invalid")

    /// A service that an async caller creates before it tries again.
    typealias Needed = (entry: Entry, request: ResolveRequest, caller: LocatorCore)

    // One pointer wide, so that a typed throw costs what an untyped one does.
    private let details: Details

    /// The kind of the error.
    public var code: Code { details.code }

    /// The identity that was requested or registered; in an error of a creation, the identity of the
    /// missing service.
    public var identity: Locator.Identity { details.identity }

    /// The services that were being created, from the outermost to the requester of the ``identity``.
    ///
    /// The path does not contain the identity itself, unless that is also being created, as in a ``cycle``. It is empty
    /// outside of creations.
    public var path: [Locator.Identity] { details.path }

    /// The error that a closure, a hook, or the reading of a file threw.
    ///
    /// However deep in the ``path`` a closure threw it, this is its own error, and ``identity`` is the service of that
    /// closure. Nil if no such error was thrown.
    public var underlying: (any Error)? { details.underlying }

    /// The faults that ``Locator/check(roots:)-9d1oi`` has found; empty in any other error.
    public var findings: [Locator.Finding] { details.findings }

    /// The whole text: one sentence, and a list of facts.
    ///
    /// The text is built when it is read. Where it lists similar registrations and the state of locators, these are the
    /// ones of that moment.
    ///
    /// - Complexity: O(*n*) in the number of registrations for a ``missing`` service, else O(1).
    public var description: String { details.text() }

    /// Returns whether two errors have the same code and identity.
    public static func == (left: InjectleError, right: InjectleError) -> Bool {
        left.code == right.code && left.identity == right.identity
    }

    /// The service that must exist before the caller can succeed, if the caller can await it.
    var needed: Needed? { details.needed }

    /// Whether the wait of a thread for the main actor timed out.
    var isTimeout: Bool { details.isTimeout }

    /// The same error for a caller that cannot await.
    var withoutNeed: InjectleError {
        if needed == nil { return self }
        return InjectleError(details: Details(code, identity, path, underlying, nil, isTimeout, [], details.text))
    }

    private init(details: Details) {
        self.details = details
    }

    /// - Parameters:
    ///   - request: The origin that the text names.
    ///   - record: The registration that the text names.
    ///   - fix: The last fact, unless `describe` adds it.
    ///   - describe: Returns the sentence, and adds facts. It may keep cores, which keep no instances once their locators
    ///     are released, but no entries, records, requests or lifetimes, which do.
    init(
        _ code: Code,
        _ identity: Locator.Identity,
        _ request: ResolveRequest? = nil,
        registered record: RegistrationRecord? = nil,
        underlying: (any Error)? = nil,
        needed: Needed? = nil,
        isTimeout: Bool = false,
        fix: String? = nil,
        findings: [Locator.Finding] = [],
        _ describe: @escaping @Sendable (inout Report) -> String
    ) {
        let path = Frame.path
        let origin = request?.origin
        let outermost = Frame.outermostOrigin
        let registered = record.map { ($0.location, $0.lifetime.description) }
        details = Details(code, identity, path, underlying, needed, isTimeout, findings) {
            var report = Report(path: path, identity: identity)
            if let origin {
                report.add("requested by", "\(origin)")
                if let outermost = outermost.map(\.description), outermost != origin.description {
                    report.add("started by", outermost)
                }
                // A long path is a repetition: its end is what counts.
                let names = (path.suffix(12) + [identity]).map(\.description)
                if !path.isEmpty {
                    report.add("path", (path.count > 12 ? "… → " : "") + names.joined(separator: " → "))
                }
            }
            if let (location, lifetime) = registered { report.add("registered", "in \(location), \(lifetime)") }
            let sentence = describe(&report)
            if let fix { report.fix(fix) }
            return report.text(sentence)
        }
    }

    private final class Details: @unchecked Sendable {
        // Sound to share: it is immutable, and what `needed` refers to protects itself.
        let code: Code
        let identity: Locator.Identity
        let path: [Locator.Identity]
        let underlying: (any Error)?
        let needed: Needed?
        let isTimeout: Bool
        let findings: [Locator.Finding]
        let text: @Sendable () -> String

        init(
            _ code: Code,
            _ identity: Locator.Identity,
            _ path: [Locator.Identity],
            _ underlying: (any Error)?,
            _ needed: Needed?,
            _ isTimeout: Bool,
            _ findings: [Locator.Finding],
            _ text: @escaping @Sendable () -> String
        ) {
            (self.code, self.identity, self.path) = (code, identity, path)
            (self.underlying, self.needed, self.isTimeout, self.text) = (underlying, needed, isTimeout, text)
            self.findings = findings
        }
    }

    /// The facts of a text.
    struct Report {
        /// The path of the error.
        let path: [Locator.Identity]
        let identity: Locator.Identity
        private(set) var facts: [(label: String, text: String)] = []

        mutating func add(_ label: String, _ text: String) {
            facts.append((label, text))
        }

        /// Adds facts, where the first one has another label.
        mutating func add(_ label: String, then next: String, _ texts: [String]) {
            for (index, text) in texts.enumerated() { add(index == 0 ? label : next, text) }
        }

        mutating func fix(_ fixes: String...) {
            add("fix", then: "or", fixes)
        }

        func text(_ sentence: String) -> String { Report.text(sentence, facts) }

        /// A sentence and a list of facts.
        static func text(_ sentence: String, _ facts: [(label: String, text: String)]) -> String {
            let width = facts.map(\.label.count).max() ?? 0
            return facts.reduce(into: sentence) { text, fact in
                text += "\n  \(fact.label)\(String(repeating: " ", count: width - fact.label.count))  \(fact.text)"
            }
        }
    }
}

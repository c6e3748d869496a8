/// Why a service could not be had, or a registration not be made.
///
/// Its text says what was asked and from where, on which path, what comes close, and the line that mends it.
///
/// ```swift
/// do {
///     _ = try locator.resolve((any Car).self)
/// } catch {
///     print(error.code, "of", error.identity)  // Prints "missing of any App.Car"
/// }
/// ```
///
/// To catch one kind, name its code:
///
/// ```swift
/// do {
///     try locator.registerSingleton(DeLorean(), and: forbidReassignment)
/// } catch InjectleError.forbiddenReassignment {
///     // There is one already.
/// }
/// ```
///
/// Two errors are equal if code and identity are. An error never changes, and can be handed to any thread. What
/// resolves throws nothing else, so `catch` needs no cast; a property cannot throw, and stops the program with the
/// text.
public struct InjectleError: Error, Equatable, CustomStringConvertible {
    /// What kind of error it is: a list that can grow.
    ///
    /// ```swift
    /// let harmless: Set = [InjectleError.missing, InjectleError.cancelled]
    /// do { _ = try locator.resolve((any Car).self) } catch { print(harmless.contains(error.code)) }  // Prints "true"
    /// ```
    ///
    /// It is a value, and can be shared by all threads.
    public struct Code: Hashable, Sendable, CustomStringConvertible {
        /// The name of the code, as ``InjectleError`` spells it.
        public let description: String
    }

    /// No service is registered under type and key, and none under the key alone.
    ///
    /// It comes up when a service is resolved that nobody has registered, or only in another locator, under another
    /// key, or as another type. Do what the text says behind `mend`: register it, or ask for what is there. Where it
    /// may be missing, ask by ``Locator/resolveOptional(_:isolation:fileID:line:)`` or ``Optject``.
    public static let missing = Code(description: "missing")
    /// What is registered is not of the type it was asked for or registered as.
    ///
    /// It comes up when a service is made that is not what ``Locator/Registration/as(_:key:)`` says, or when a key
    /// alone finds a service of another type. Correct the type in the registration, or use another key.
    public static let wrongType = Code(description: "wrongType")
    /// A registration was not to replace another.
    ///
    /// It comes up where ``forbidReassignment(in:forKey:)`` is passed as `and:`, or what is there is
    /// ``Locator/Registration/final()``. Go on with what is there, or unregister that first.
    public static let forbiddenReassignment = Code(description: "forbiddenReassignment")
    /// A service needs itself, directly or through others.
    ///
    /// It comes up in any lifetime, and among modules; ``path`` shows the circle. Let one of them ask later: by a
    /// property marked ``Inject``, by ``Locator/Lazy`` or by ``Locator/Provider``.
    public static let cycle = Code(description: "cycle")
    /// Two threads or more would each wait for what another makes.
    ///
    /// It comes up instead of a hang, and only at times, since it depends on who comes first. Let one of the services
    /// ask later, as with a ``cycle``, or make them in one place at the start.
    public static let deadlock = Code(description: "deadlock")
    /// A graph of services is deeper than any that ends.
    ///
    /// It comes up at 200 levels, or earlier where the stack of the thread is small. Bits for a closure that asks for
    /// ever new keys or arguments of its own type.
    public static let tooDeep = Code(description: "tooDeep")
    /// A service belongs to an actor that the asking code is not on.
    ///
    /// It comes up when a service is asked for synchronously that is not made yet: of the main actor, if that did not
    /// begin in time; of another actor, at once. A ``Locator/Isolation/strict`` locator always refuses at once, and
    /// also what is made and is not `Sendable`. Who awaits gets it for that, too, and where the actor has gone.
    ///
    /// Ask by ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service``, make it before by
    /// ``Locator/Registration/atStart()``, or register it with `.anywhere` if any thread may make it.
    public static let wrongIsolation = Code(description: "wrongIsolation")
    /// A closure, or a hook, threw an error, which is the ``underlying`` one.
    ///
    /// Nothing was kept, so the next who asks tries again. Bits at the underlying error.
    public static let factoryFailed = Code(description: "factoryFailed")
    /// A closure ended because its task was cancelled, or the task that awaited a service was.
    ///
    /// It comes up in a task that is cancelled, and wherever a closure throws a `CancellationError`. As a rule, end as
    /// well: whoever asks next has the service made, unless others have waited for it.
    public static let cancelled = Code(description: "cancelled")
    /// A service that is made by an asynchronous closure is not there yet, and was asked for by code that cannot await
    /// it.
    ///
    /// Await it by ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service``, or let
    /// ``Locator/start(timeout:isolation:fileID:line:onProgress:)`` make it before it is asked for.
    public static let requiresAsync = Code(description: "requiresAsync")
    /// A service is registered only for arguments other than those that it was asked for with.
    ///
    /// It comes up, too, where a service is kept per argument, and one is not `Hashable`. The text lists what is
    /// declared: pass these, in number, order and type.
    public static let wrongArguments = Code(description: "wrongArguments")
    /// A service is to be kept weakly, or unowned, and is no object.
    ///
    /// Register it with another lifetime, such as `.lazy`, or make it a class.
    public static let notAnObject = Code(description: "notAnObject")
    /// An object that was registered unowned has gone.
    ///
    /// Keep it for as long as it is asked for, or register it by `.eager`, so that the locator does.
    public static let instanceReleased = Code(description: "instanceReleased")
    /// A service is to be kept by a locator of some name, and neither the one that was asked nor an ancestor has it.
    ///
    /// It comes up with ``Locator/Lifetime/perLocator(named:)``. Ask a locator of that name, or a child of one.
    public static let locatorNotFound = Code(description: "locatorNotFound")
    /// An instance cannot be dropped without its registration, since there is nothing to make another one by.
    ///
    /// It comes up in ``Locator/resetInstance(of:key:fileID:line:)``. Add ``Locator/Registration/resettable()`` to a
    /// lazy service or a factory; in the place of one that was given, register another.
    public static let notResettable = Code(description: "notResettable")
    /// A file that values are to be registered from is missing or malformed, or does not fit the type.
    ///
    /// The text names the file, the place in it, what was expected and what is there. Nothing was registered.
    public static let unreadableResource = Code(description: "unreadableResource")
    /// A locator's start took longer than it was allowed to.
    ///
    /// The text says what is made, what is not, and what waits for what. What is there stays: start again to make the
    /// rest, or allow more time.
    public static let startTimedOut = Code(description: "startTimedOut")
    /// A service could not be disposed of, since a disposer threw, which is the ``underlying`` error, or nobody could
    /// await it.
    ///
    /// It is returned by ``Locator/close(isolation:)`` and by the other functions that await disposers, and told to
    /// behaviors by ``Locator/Event/failure``. The instance has gone all the same.
    public static let disposalFailed = Code(description: "disposalFailed")
    /// The locator is closed, or is being closed and makes nothing new that it would keep.
    ///
    /// Ask before it is closed, or ask another locator: a closed one does not open again.
    public static let locatorClosed = Code(description: "locatorClosed")
    /// The locator has let go of everything, since nobody refers to it any more.
    ///
    /// It comes up when something that it made asks it afterwards. Keep the locator for as long as what it made is
    /// used.
    public static let locatorReleased = Code(description: "locatorReleased")

    // One pointer wide, so that a typed throw costs what an untyped one does.
    private let details: Details

    /// What kind of error it is.
    public var code: Code { details.code }

    /// What was asked for or registered; in an error of a creation, what could not be made.
    public var identity: ServiceKey { details.identity }

    /// What was being made, from the outermost service to that which asked for the ``identity``.
    ///
    /// The identity itself is not in it, unless it is also being made, as in a ``cycle``. Empty if nothing was being
    /// made.
    public var path: [ServiceKey] { details.path }

    /// What a closure, a hook or a disposer threw, or what reading or decoding a file did.
    ///
    /// Nil if there is no such error.
    public var underlying: (any Error)? { details.underlying }

    /// The whole text: one sentence, and a list of facts.
    public var description: String { details.text }

    /// Tells whether two errors have the same code and identity, whatever their texts say.
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
        // Sound to share: nothing changes these, and each can be used from any thread.
        nonisolated(unsafe) let needed: Needed?

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

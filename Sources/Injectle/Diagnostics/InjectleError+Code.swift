// The codes as members of their type, so that `error.code == .missing` and `case .missing:` compile.
extension InjectleError.Code {
    /// Matches an error of this code, so that `catch InjectleError.missing` compiles.
    public static func ~= (code: InjectleError.Code, error: any Error) -> Bool {
        (error as? InjectleError)?.code == code
    }

    /// The code ``InjectleError/missing``.
    public static var missing: Self { InjectleError.missing }
    /// The code ``InjectleError/wrongType``.
    public static var wrongType: Self { InjectleError.wrongType }
    /// The code ``InjectleError/forbiddenReassignment``.
    public static var forbiddenReassignment: Self { InjectleError.forbiddenReassignment }
    /// The code ``InjectleError/cycle``.
    public static var cycle: Self { InjectleError.cycle }
    /// The code ``InjectleError/deadlock``.
    public static var deadlock: Self { InjectleError.deadlock }
    /// The code ``InjectleError/tooDeep``.
    public static var tooDeep: Self { InjectleError.tooDeep }
    /// The code ``InjectleError/wrongIsolation``.
    public static var wrongIsolation: Self { InjectleError.wrongIsolation }
    /// The code ``InjectleError/factoryFailed``.
    public static var factoryFailed: Self { InjectleError.factoryFailed }
    /// The code ``InjectleError/cancelled``.
    public static var cancelled: Self { InjectleError.cancelled }
    /// The code ``InjectleError/requiresAsync``.
    public static var requiresAsync: Self { InjectleError.requiresAsync }
    /// The code ``InjectleError/wrongArguments``.
    public static var wrongArguments: Self { InjectleError.wrongArguments }
    /// The code ``InjectleError/notAnObject``.
    public static var notAnObject: Self { InjectleError.notAnObject }
    /// The code ``InjectleError/instanceReleased``.
    public static var instanceReleased: Self { InjectleError.instanceReleased }
    /// The code ``InjectleError/locatorNotFound``.
    public static var locatorNotFound: Self { InjectleError.locatorNotFound }
    /// The code ``InjectleError/notResettable``.
    public static var notResettable: Self { InjectleError.notResettable }
    /// The code ``InjectleError/startTimedOut``.
    public static var startTimedOut: Self { InjectleError.startTimedOut }
    /// The code ``InjectleError/runFailed``.
    public static var runFailed: Self { InjectleError.runFailed }
    /// The code ``InjectleError/childrenOpen``.
    public static var childrenOpen: Self { InjectleError.childrenOpen }
    /// The code ``InjectleError/disposalFailed``.
    public static var disposalFailed: Self { InjectleError.disposalFailed }
    /// The code ``InjectleError/locatorClosed``.
    public static var locatorClosed: Self { InjectleError.locatorClosed }
    /// The code ``InjectleError/locatorReleased``.
    public static var locatorReleased: Self { InjectleError.locatorReleased }
    /// The code ``InjectleError/invalid``.
    public static var invalid: Self { InjectleError.invalid }
}

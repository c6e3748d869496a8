// What modifiers and `register` have chosen, in one byte.

extension RegistrationRecord {
    /// Changed before the registration only.
    struct Choices: OptionSet {
        let rawValue: UInt8
        static var identity: Choices { Choices(rawValue: 1) }
        static var final: Choices { Choices(rawValue: 8) }
        static var resolver: Choices { Choices(rawValue: 32) }
        static var given: Choices { Choices(rawValue: 64) }
    }

    private subscript(choice: Choices) -> Bool {
        get { choices.contains(choice) }
        set { if newValue { choices.insert(choice) } else { choices.remove(choice) } }
    }

    /// Whether no other registration may replace it.
    var isFinal: Bool {
        get { self[.final] }
        set { self[.final] = newValue }
    }

    /// Whether its closure receives a resolver, and so can resolve dependencies that it does not declare.
    var receivesResolver: Bool {
        get { self[.resolver] }
        set { self[.resolver] = newValue }
    }

    /// Whether it was registered with an instance, also after the release of that.
    var isGiven: Bool { self[.given] }
}

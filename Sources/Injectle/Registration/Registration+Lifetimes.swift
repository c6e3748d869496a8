extension Locator.Registration {
    /// Hands a given service to everyone.
    ///
    /// ```swift
    /// let garage = Garage()
    /// locator.register(.eager(garage))
    /// print(try locator.resolve(Garage.self) === garage)  // Prints "true"
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance. The locator keeps it.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of this instance.
    /// - Complexity: O(1).
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        eager(service, isSendable: false, SourceLocation(fileID, line))
    }

    /// Hands a given service that is known to be `Sendable` to everyone.
    ///
    /// The same as ``eager(_:fileID:line:)-4x78o``; it belongs to no actor either way, and so goes everywhere.
    ///
    /// ```swift
    /// locator.register(.eager(Settings(currency: "EUR")))
    /// print(try locator.resolve(Settings.self).currency)  // Prints "EUR"
    /// ```
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self
    where Service: Sendable {
        eager(service, isSendable: true, SourceLocation(fileID, line))
    }

    private static func eager(_ service: Service, isSendable: Bool, _ location: SourceLocation) -> Self {
        let given = RegistrationRecord.RareFields(given: Instance(service))
        return Self(
            RegistrationRecord(of: Service.self, .eager, at: .anywhere, isSendable: isSendable, location, given)
        )
    }

    /// Hands a given object that somebody else keeps to everyone.
    ///
    /// ```swift
    /// final class Window {}
    ///
    /// var window: Window? = Window()
    /// if let window { locator.register(.eager(unowned: window)) }
    /// print(try locator.resolve(Window.self) === window)  // Prints "true"
    /// window = nil
    /// do {
    ///     _ = try locator.resolve(Window.self)
    /// } catch {
    ///     print(error.code)  // Prints "released"
    /// }
    /// ```
    ///
    /// It is handed out for as long as it is there. Once its owner has let go of it, resolving throws
    /// ``InjectleError/released``.
    ///
    /// - Parameters:
    ///   - object: The object. If it is none, resolving throws ``InjectleError/notAnObject``.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    /// - Returns: The registration of this object.
    /// - Complexity: O(1).
    public static func eager(unowned object: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        eager(unowned: object, isSendable: false, SourceLocation(fileID, line))
    }

    /// Hands a given object that somebody else keeps, and that is known to be `Sendable`, to everyone.
    ///
    /// The same as ``eager(unowned:fileID:line:)-pupj``; it belongs to no actor either way, and so goes everywhere.
    ///
    /// ```swift
    /// let database = Database()
    /// locator.register(.eager(unowned: database))
    /// print(try locator.resolve(Database.self) === database)  // Prints "true"
    /// ```
    public static func eager(unowned object: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self
    where Service: Sendable {
        eager(unowned: object, isSendable: true, SourceLocation(fileID, line))
    }

    private static func eager(unowned object: Service, isSendable: Bool, _ location: SourceLocation) -> Self {
        let note = Instance(object).weakened
        let record = RegistrationRecord(of: Service.self, .unowned, at: .anywhere, isSendable: isSendable, location) {
            _,
            _,
            storage in
            guard let note else { throw CreationFailure.notAnObject }
            guard let object = note.revived(as: Service.self) else { throw CreationFailure.released }
            object.copy(to: storage)
        }
        return Self(record)
    }

    /// A service that is made once, at first use, and then handed to everyone.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {}
    ///
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Garage(database: try locator.resolve()) })
    /// locator.register(.lazy(.main) { ViewModel() })  // made on the main actor, from wherever it is registered
    /// locator.register(.lazy(.anywhere) { User(name: "Ada") })  // made by whichever thread asks first
    /// ```
    ///
    /// It is made by the locator that registered it, and its own dependencies come from there. However many threads
    /// ask, one makes it and the others wait. What the closure captures is released once it has run.
    @inlinable public static var lazy: Form { Form(lifetime: .lazy) }

    /// A service that is made anew at each resolve, and once for each property.
    ///
    /// ```swift
    /// locator.register(.volatile { Garage() })
    /// print(try locator.resolve(Garage.self) === locator.resolve(Garage.self))  // Prints "false"
    /// ```
    ///
    /// Its dependencies come from the locator that is asked.
    @inlinable public static var volatile: Form { Form(lifetime: .volatile) }

    /// A service with any lifetime.
    ///
    /// ```swift
    /// locator.register(.lifetime(.weak) { Database() })
    /// locator.register(.lifetime(.perLocator) { Garage() })
    /// locator.register(.lifetime(.perArgument) { (locator, name: String) in User(name: name) })
    /// ```
    ///
    /// The first argument says when an instance is made and who keeps it: a ``Locator/Lifetime``, or a
    /// ``Locator/CustomLifetime`` of yours. Those of what is given, `.eager`, `.unowned` and `.factory`, come to
    /// `.lazy` here.
    @inlinable public static var lifetime: LifetimeRegistrationForm { LifetimeRegistrationForm() }
}

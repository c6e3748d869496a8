extension Locator.Registration {
    /// A given service, handed to everyone.
    ///
    /// ```swift
    /// locator.register(.eager(Analytics()))
    /// ```
    ///
    /// - Parameters:
    ///   - service: The instance.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        eager(service, isSendable: false, Site(fileID, line))
    }

    /// A given service, handed to everyone.
    ///
    /// As the other `eager`, for a service that is known to be `Sendable`.
    public static func eager(_ service: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self
    where Service: Sendable {
        eager(service, isSendable: true, Site(fileID, line))
    }

    private static func eager(_ service: Service, isSendable: Bool, _ site: Site) -> Self {
        let given = Record.Extra(given: Instance(service))
        return Self(Record(of: Service.self, .eager, at: .anywhere, isSendable: isSendable, site, given))
    }

    /// A given object that somebody else keeps.
    ///
    /// ```swift
    /// locator.register(.eager(unowned: window))
    /// ```
    ///
    /// It is handed to everyone for as long as it is there. Once its owner has let go of it, resolving throws
    /// ``InjectleError/released``.
    ///
    /// - Parameters:
    ///   - object: The object. If it is none, resolving throws ``InjectleError/notAnObject``.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    public static func eager(unowned object: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self {
        eager(unowned: object, isSendable: false, Site(fileID, line))
    }

    /// A given object that somebody else keeps.
    ///
    /// As the other `eager(unowned:)`, for an object that is known to be `Sendable`.
    public static func eager(unowned object: Service, fileID: StaticString = #fileID, line: UInt = #line) -> Self
    where Service: Sendable {
        eager(unowned: object, isSendable: true, Site(fileID, line))
    }

    private static func eager(unowned object: Service, isSendable: Bool, _ site: Site) -> Self {
        let note = Instance(object).weakened
        let record = Record(of: Service.self, .unowned, at: .anywhere, isSendable: isSendable, site) { _, _, storage in
            guard let note else { throw NotMade.notAnObject }
            guard let object = note.revived(as: Service.self) else { throw NotMade.released }
            object.copy(to: storage)
        }
        return Self(record)
    }

    /// A service that is made once, at first use, and then handed to everyone.
    ///
    /// ```swift
    /// locator.register(.lazy { Database() })
    /// locator.register(.lazy { locator in Repository(database: try locator.resolve()) })
    /// locator.register(.lazy(.main) { ViewModel() })       // made on the main actor, from wherever it is registered
    /// locator.register(.lazy(.anywhere) { Database() })    // made by whichever thread asks first
    /// ```
    ///
    /// It is made by the locator that registered it, and its own dependencies come from there. However many threads
    /// ask, one makes it and the others wait. What the closure captures is released once it has run.
    @inlinable public static var lazy: Form { Form(lifetime: .lazy) }

    /// A service that is made anew at each resolve, and once for each property.
    ///
    /// ```swift
    /// locator.register(.volatile { RequestContext() })
    /// ```
    ///
    /// Its dependencies come from the locator that is asked.
    @inlinable public static var volatile: Form { Form(lifetime: .volatile) }

    /// A service with any lifetime.
    ///
    /// ```swift
    /// locator.register(.lifetime(.weak) { ImageCache() })
    /// locator.register(.lifetime(.graph) { Transaction() })
    /// locator.register(.lifetime(.perLocator) { RequestLog() })
    /// locator.register(.lifetime(.perArgument) { (locator, city: String) in Forecast(city: city) })
    /// ```
    ///
    /// The first argument says when an instance is made and who keeps it: a ``Locator/Lifetime``, or a
    /// ``Locator/CustomLifetime`` of yours. Those of what is given, `.eager`, `.unowned` and `.factory`, come to
    /// `.lazy` here.
    @inlinable public static var lifetime: LifetimeForm { LifetimeForm() }
}

// Any lifetime with a closure that may await.

extension Locator.Registration.LifetimeRegistrationForm {
    /// Takes a lifetime, and a closure that needs nothing and may await.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-4snaj``, with the lifetime in
    /// front.
    ///
    /// ```swift
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lifetime(.perLocator) { try await loadUser() })
    /// print(try await locator.child("request").resolveAsync(User.self).name)  // Prints "Ada"
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// Takes a lifetime, and a closure that needs nothing and may await, for a service that is not known to be
    /// `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-5lex5``, with the lifetime in
    /// front.
    ///
    /// ```swift
    /// func openGarage() async throws -> Garage { Garage() }
    ///
    /// locator.register(.lifetime(.weak) { try await openGarage() })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and may await.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-6kkcu``, with the lifetime in
    /// front.
    ///
    /// ```swift
    /// func find(_ name: String) async throws -> User { User(name: name) }
    ///
    /// locator.register(.lifetime(.perArgument) { (locator, name: String) in try await find(name) })
    /// print(try await locator.resolveAsync(User.self, arguments: "Ada").name)  // Prints "Ada"
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and may await, for a service
    /// that is not known to be `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-6uwl2``, with the lifetime in
    /// front.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lifetime(.graph) { try await openDatabase() })
    /// locator.register(.lifetime(.graph) { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(
            isolation: isolation,
            fileID: fileID,
            line: line,
            make
        )
    }

    /// Takes a lifetime, and a closure that needs nothing, may await, and runs on no actor.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-5jraf``, with the lifetime in front.
    ///
    /// ```swift
    /// struct Timetable: Sendable {
    ///     static func load() async throws -> Timetable { Timetable() }
    /// }
    ///
    /// locator.register(.lifetime(.perLocator(named: "session"), .anywhere) { try await Timetable.load() })
    /// let timetable = try await locator.child("session").resolveAsync(Timetable.self)
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that needs nothing, may await, and runs on no actor, for a service that is not
    /// known to be `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-7ccpu``, with the lifetime in front.
    ///
    /// ```swift
    /// final class Workshop {
    ///     static func open() async throws -> Workshop { Workshop() }
    /// }
    ///
    /// locator.register(.lifetime(.perLocator, .anywhere) { try await Workshop.open() })
    /// let workshop: Workshop = try await locator.resolveAsync()
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, may await, and runs on no
    /// actor.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-2dh9j``, with the lifetime in front.
    ///
    /// ```swift
    /// struct Forecast: Sendable {
    ///     let city: String
    ///     static func load(_ city: String) async throws -> Forecast { Forecast(city: city) }
    /// }
    ///
    /// locator.register(.lifetime(.perArgument, .anywhere) { (locator, city: String) in
    ///     try await Forecast.load(city)
    /// })
    /// print(try await locator.resolveAsync(Forecast.self, arguments: "Turin").city)  // Prints "Turin"
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, may await, and runs on no
    /// actor, for a service that is not known to be `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-8o8f1``, with the lifetime in front.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lazy { try await openDatabase() })
    /// locator.register(.lifetime(.weak, .anywhere) { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that needs nothing, may await, and runs on the main actor.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-zjb3``, with the lifetime in front.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     init(user: User) {}
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lifetime(.weak, .main) { ViewModel(user: try await loadUser()) })
    /// let model: ViewModel = try await locator.resolveAsync()
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that needs nothing, may await, and runs on the main actor, for a service that is
    /// not known to be `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-8xi3z``, with the lifetime in front.
    ///
    /// ```swift
    /// func openGarage() async throws -> Garage { Garage() }
    ///
    /// locator.register(.lifetime(.perLocator, .main) { try await openGarage() })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, may await, and runs on the main
    /// actor.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-7110f``, with the lifetime in front.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     let title: String
    ///     init(title: String) { self.title = title }
    /// }
    /// func translate(_ title: String) async throws -> String { title.uppercased() }
    ///
    /// locator.register(.lifetime(.perArgument, .main) { (locator, title: String) in
    ///     ViewModel(title: try await translate(title))
    /// })
    /// print(try await locator.resolveAsync(ViewModel.self, arguments: "Garage").title)  // Prints "GARAGE"
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }

    /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, may await, and runs on the main
    /// actor, for a service that is not known to be `Sendable`.
    ///
    /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-62s81``, with the lifetime in front.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lazy { try await openDatabase() })
    /// locator.register(.lifetime(.weak, .main) { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        _ lifetime: some Locator.LifetimeConvertible,
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        Locator.Registration<Service>.Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
    }
}

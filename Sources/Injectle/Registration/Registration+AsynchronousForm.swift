// The forms whose closure may await.
//
// What belongs to an actor is called on it, by the closure's own doing, so these can be asked for from everywhere, by
// `resolveAsync`.

extension Locator.Registration.Form {
    /// Takes a closure that needs nothing and may await.
    ///
    /// ```swift
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// print(try await locator.resolveAsync(User.self).name)  // Prints "Ada"
    /// print(try locator.resolve(User.self).name)  // Prints "Ada"
    /// ```
    ///
    /// The service is awaited, by ``Locator/resolveAsync(_:key:isolation:fileID:line:)->Service`` or a start. Who does
    /// not await gets it once it is there, and ``InjectleError/asynchronous`` before. See <doc:StartAndClose>.
    ///
    /// - Parameters:
    ///   - isolation: The actor that the registration is written on, where hooks run; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service: on the main actor if it is written there, on another actor if it is written there
    ///     and uses it, and else on none. It runs in a task of its own, for all who ask; that of a volatile service in
    ///     the task that asks.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Throws: Nothing by itself. What `make` throws, all get who await it: an ``InjectleError`` as it is, and else
    ///   as ``InjectleError/factoryFailed``.
    /// - Complexity: O(1). The closure is not called yet.
    public func callAsFunction(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(isolation, true, SourceLocation(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// Takes a closure that needs nothing and may await, for a service that is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-4snaj``; but where the registration belongs to an actor,
    /// a locator whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// func openGarage() async throws -> Garage { Garage() }
    ///
    /// locator.register(.lazy { try await openGarage() })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(isolation, false, SourceLocation(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// Takes a closure that asks for what it needs, may take arguments, and may await.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-4snaj`` in where it runs and who can ask.
    ///
    /// ```swift
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.volatile { (locator, title: String) in
    ///     let user = try await locator.resolveAsync(User.self)
    ///     return "\(title) \(user.name)"
    /// })
    /// print(try await locator.resolveAsync(String.self, arguments: "Lady"))  // Prints "Lady Ada"
    /// ```
    ///
    /// - Parameters:
    ///   - isolation: The actor that the registration is written on, where hooks run; filled in.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, of what it asks the resolver for, which has `resolveAsync` as well as `resolve`,
    ///     and of the arguments of the call, by their position.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(isolation, true, SourceLocation(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// Takes a closure that asks for what it needs, may take arguments, and may await, for a service that is not known
    /// to be `Sendable`.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-6kkcu``; but where the registration belongs to an actor,
    /// a locator whose isolation is ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lazy { try await openDatabase() })
    /// locator.register(.lazy { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(isolation, false, SourceLocation(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// Takes a closure that needs nothing, may await, and runs on no actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-4snaj`` but for where it runs: what happens between two
    /// `await` of it does not hold up the main actor, though it may be written there.
    ///
    /// ```swift
    /// struct Timetable: Sendable {
    ///     static func load() async throws -> Timetable { Timetable() }
    /// }
    ///
    /// locator.register(.lazy(.anywhere) { try await Timetable.load() })
    /// let timetable: Timetable = try await locator.resolveAsync()
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on no actor.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(1). The closure is not called yet.
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(nil, true, SourceLocation(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// Takes a closure that needs nothing, may await, and runs on no actor, for a service that is not known to be
    /// `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-5jraf``. What those who share an instance do with it is yours to
    /// protect.
    ///
    /// ```swift
    /// final class Workshop {
    ///     static func open() async throws -> Workshop { Workshop() }
    /// }
    ///
    /// locator.register(.volatile(.anywhere) { try await Workshop.open() })
    /// let workshop: Workshop = try await locator.resolveAsync()  // nobody else's
    /// ```
    public func callAsFunction(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(nil, false, SourceLocation(fileID, line)) { _, _ in Instance(try await make()) }
    }

    /// Takes a closure that asks for what it needs, may take arguments, may await, and runs on no actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-6kkcu`` but for where it runs.
    ///
    /// ```swift
    /// struct Forecast: Sendable {
    ///     let city: String
    ///     static func load(_ city: String) async throws -> Forecast { Forecast(city: city) }
    /// }
    ///
    /// locator.register(.volatile(.anywhere) { (locator, city: String) in try await Forecast.load(city) })
    /// print(try await locator.resolveAsync(Forecast.self, arguments: "Turin").city)  // Prints "Turin"
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.anywhere`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on no actor, of what it asks the resolver for and of the arguments of the call.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(nil, true, SourceLocation(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// Takes a closure that asks for what it needs, may take arguments, may await, and runs on no actor, for a service
    /// that is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-2dh9j``. What those who share an instance do with it is yours to
    /// protect.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lazy { try await openDatabase() })
    /// locator.register(.volatile(.anywhere) { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        _ place: Locator.Anywhere,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @concurrent @Sendable (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(nil, false, SourceLocation(fileID, line), repeat (each Argument).self) { locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// Takes a closure that needs nothing, may await, and runs on the main actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-4snaj`` but for where it runs, which may be said from
    /// anywhere.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     let user: User
    ///     init(user: User) { self.user = user }
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy(.main) { ViewModel(user: try await loadUser()) })
    /// print(try await locator.resolveAsync(ViewModel.self).user.name)  // Prints "Ada"
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.main`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the main actor.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(1). The closure is not called yet.
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(MainActor.shared, true, SourceLocation(fileID, line)) { @MainActor _, _ in Instance(try await make()) }
    }

    /// Takes a closure that needs nothing, may await, and runs on the main actor, for a service that is not known to be
    /// `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-zjb3``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// @MainActor protocol Screen {}
    /// struct StartScreen: Screen {
    ///     init() async throws {}
    /// }
    ///
    /// locator.register(.lazy(.main) { try await StartScreen() }, for: (any Screen).self)
    /// let screen = try await locator.resolveAsync((any Screen).self)
    /// ```
    public func callAsFunction(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor () async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(MainActor.shared, false, SourceLocation(fileID, line)) { @MainActor _, _ in Instance(try await make()) }
    }

    /// Takes a closure that asks for what it needs, may take arguments, may await, and runs on the main actor.
    ///
    /// The same as ``callAsFunction(isolation:fileID:line:_:)-6kkcu`` but for where it runs.
    ///
    /// ```swift
    /// @MainActor final class ViewModel {
    ///     let text: String
    ///     init(title: String, user: User) { text = "\(title) \(user.name)" }
    /// }
    /// func loadUser() async throws -> User { User(name: "Ada") }
    ///
    /// locator.register(.lazy { try await loadUser() })
    /// locator.register(.volatile(.main) { (locator, title: String) in
    ///     ViewModel(title: title, user: try await locator.resolveAsync())
    /// })
    /// print(try await locator.resolveAsync(ViewModel.self, arguments: "Lady").text)  // Prints "Lady Ada"
    /// ```
    ///
    /// - Parameters:
    ///   - place: `.main`.
    ///   - fileID: The file that errors name as the registration's; filled in.
    ///   - line: The line that errors name as the registration's; filled in.
    ///   - make: Makes the service, on the main actor, of what it asks the resolver for and of the arguments of the
    ///     call.
    /// - Returns: The registration of such a service with this lifetime.
    /// - Complexity: O(*n*) in the number of arguments that are declared. The closure is not called yet.
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> where Service: Sendable {
        inTask(MainActor.shared, true, SourceLocation(fileID, line), repeat (each Argument).self) {
            @MainActor locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// Takes a closure that asks for what it needs, may take arguments, may await, and runs on the main actor, for a
    /// service that is not known to be `Sendable`.
    ///
    /// The same as ``callAsFunction(_:fileID:line:_:)-7110f``; but a locator whose isolation is
    /// ``Locator/Isolation/strict`` hands the service to nobody elsewhere.
    ///
    /// ```swift
    /// func openDatabase() async throws -> Database { Database() }
    ///
    /// locator.register(.lazy { try await openDatabase() })
    /// locator.register(.lazy(.main) { locator in Garage(database: try await locator.resolveAsync()) })
    /// let garage: Garage = try await locator.resolveAsync()
    /// ```
    public func callAsFunction<each Argument>(
        _ place: Locator.OnMainActor,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) async throws -> Service
    ) -> Locator.Registration<Service> {
        inTask(MainActor.shared, false, SourceLocation(fileID, line), repeat (each Argument).self) {
            @MainActor locator, arguments in
            var position = Locator.Position()
            return Instance(try await make(locator, repeat position.next((each Argument).self, of: arguments)))
        }
    }

    /// The registration that all of these come to.
    private func inTask<each Argument>(
        _ isolation: (any Actor)?,
        _ isSendable: Bool,
        _ location: SourceLocation,
        _ declared: repeat (each Argument).Type,
        make: @escaping @concurrent (Locator.Resolver, Arguments?) async throws -> Instance
    ) -> Locator.Registration<Service> {
        let declared = Locator.Position.types(repeat each declared)
        let record = RegistrationRecord(
            of: Service.self,
            lifetime,
            on: isolation,
            isSendable: isSendable,
            location,
            declaring: declared
        ) { core, arguments in
            // What the closure declares is its own.
            let resolver = Locator.Resolver(core: core, arguments: declared == nil ? arguments : nil)
            return try await make(resolver, arguments)
        }
        return Locator.Registration(record)
    }
}

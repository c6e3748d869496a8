extension Locator.Registration {
    /// Any lifetime with its closure: `.lifetime(.weak) { … }`, in the same forms as ``Form``.
    ///
    /// ```swift
    /// locator.register(.lifetime(.weak) { Database() })
    /// locator.register(.lifetime(.perArgument) { (locator, name: String) in User(name: name) })
    /// locator.register(.lifetime(.perLocator, .anywhere) { locator in Garage(database: try locator.resolve()) })
    /// ```
    ///
    /// The lifetime comes first, then `.main` or `.anywhere` if either is to be said. What a closure takes, where it
    /// runs, and what becomes of what it throws, is the same as there. <doc:WhichLifetime> has an example of each
    /// lifetime.
    ///
    /// It is a value that can be used from any thread.
    public struct LifetimeRegistrationForm: Sendable {
        @inlinable
        @inline(__always)
        init() {}

        /// Takes a lifetime, and a closure that needs nothing and runs on the actor it is written on, or on any thread
        /// if that is none.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-2q36w``, with the lifetime
        /// in front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.weak) { Database() })
        /// var held: Database? = try locator.resolve()
        /// weak var database = held
        /// print(try locator.resolve(Database.self) === held)  // Prints "true"
        /// held = nil
        /// print(database == nil)  // Prints "true"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that needs nothing and runs on the actor it is written on, or on any thread
        /// if that is none, for a service that is not known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-2vt8z``, with the lifetime
        /// in front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.perLocator) { Garage() })
        /// let (morning, evening) = (locator.child("morning"), locator.child("evening"))
        /// print(try morning.resolve(Garage.self) === evening.resolve(Garage.self))  // Prints "false"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on the actor it is
        /// written on, or on any thread if that is none.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-48tuw``, with the lifetime
        /// in front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.perArgument) { (locator, name: String) in User(name: name) })
        /// print(try locator.resolve(User.self, arguments: "Ada").name)  // Prints "Ada"
        /// print(try locator.resolve(User.self, arguments: "Ben").name)  // Prints "Ben"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on the actor it is
        /// written on, or on any thread if that is none, for a service that is not known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(isolation:fileID:line:_:)-6m6k7``, with the lifetime
        /// in front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.graph) { Database() })
        /// locator.register(.lifetime(.graph) { locator in Garage(database: try locator.resolve()) })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(isolation: isolation, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that needs nothing and runs on whichever thread asks.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-2kltm``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.perLocator(named: "session"), .anywhere) { User(name: "guest") })
        /// let session = locator.child("session")
        /// print(try session.child("page").resolve(User.self).name)  // Prints "guest"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that needs nothing and runs on whichever thread asks, for a service that is
        /// not known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-8yejb``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.composite(.perLocator, .weak), .anywhere) { Garage() })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on whichever
        /// thread asks.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-3wljl``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.perLocator, .anywhere) { locator in Report(settings: try locator.resolve()) })
        /// let request = locator.child("request") { $0.register(.eager(Settings(currency: "NOK"))) }
        /// print(try request.resolve(Report.self).settings.currency)  // Prints "NOK"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on whichever
        /// thread asks, for a service that is not known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-7p17k``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() })
        /// locator.register(.lifetime(.weak, .anywhere) { locator in Garage(database: try locator.resolve()) })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.Anywhere,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @Sendable (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that needs nothing and runs on the main actor.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-5smcw``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// @MainActor final class ViewModel {}
        ///
        /// locator.register(.lifetime(.weak, .main) { ViewModel() })
        /// let model: ViewModel = try locator.resolve()
        /// print(try locator.resolve(ViewModel.self) === model)  // Prints "true"
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor () throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that needs nothing and runs on the main actor, for a service that is not
        /// known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-949ka``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lifetime(.perLocator, .main) { Garage() })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor () throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on the main actor.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-8cft3``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// @MainActor final class ViewModel {
        ///     let title: String
        ///     init(title: String) { self.title = title }
        /// }
        ///
        /// locator.register(.lifetime(.perArgument, .main) { (locator, title: String) in ViewModel(title: title) })
        /// let model = try locator.resolve(ViewModel.self, arguments: "Garage")
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> where Service: Sendable {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }

        /// Takes a lifetime, and a closure that asks for what it needs, may take arguments, and runs on the main actor,
        /// for a service that is not known to be `Sendable`.
        ///
        /// The same as ``Locator/Registration/Form/callAsFunction(_:fileID:line:_:)-5mg02``, with the lifetime in
        /// front.
        ///
        /// ```swift
        /// locator.register(.lazy { Database() })
        /// locator.register(.lifetime(.weak, .main) { locator in Garage(database: try locator.resolve()) })
        /// let garage: Garage = try locator.resolve()
        /// ```
        @inlinable
        @inline(__always)
        public func callAsFunction<each Argument>(
            _ lifetime: some Locator.LifetimeConvertible,
            _ place: Locator.OnMainActor,
            fileID: StaticString = #fileID,
            line: UInt = #line,
            _ make: @escaping @MainActor (Locator.Resolver, repeat each Argument) throws -> Service
        ) -> Locator.Registration<Service> {
            Form(lifetime: lifetime.ofClosure)(place, fileID: fileID, line: line, make)
        }
    }
}

extension Locator {
    /// What a factory is handed: the locator that makes, to ask for what the service needs.
    ///
    /// ```swift
    /// locator.register(.lazy { locator in
    ///     Repository(database: try locator.resolve(), cache: try locator.resolveOptional())
    /// })
    /// ```
    ///
    /// For a service that is kept, that is the locator that has the registration; for one that is made anew, the locator
    /// that was asked.
    public struct Resolver: Sendable {
        @usableFromInline let core: Core

        /// The service of a type, as ``Locator/resolve(_:isolation:fileID:line:)`` finds it.
        ///
        /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
        @inlinable
        public func resolve<Service>(
            _ type: Service.Type = Service.self,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            if let service = CoreHead.load(type, core.head) { return service }
            return try resolve(type, key: nil, isolation: isolation, fileID: fileID, line: line)
        }

        /// The service of a type that was registered with a key, as ``Locator/resolve(_:key:isolation:fileID:line:)`` finds
        /// it.
        ///
        /// - Throws: ``InjectleError`` if it is not registered, cannot be made, or is being made already.
        @inlinable
        @inline(never)
        public func resolve<Service>(
            _ type: Service.Type = Service.self,
            key: AnyHashable?,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service {
            try core.service(type, key, isolation, fileID, line)
        }

        /// The service of a type, with or without a key, or nil if none is registered.
        ///
        /// - Throws: ``InjectleError`` if it is registered and cannot be made.
        @inlinable
        @inline(never)
        public func resolveOptional<Service>(
            _ type: Service.Type = Service.self,
            key: AnyHashable? = nil,
            isolation: (any Actor)? = #isolation,
            fileID: StaticString = #fileID,
            line: UInt = #line
        ) throws(InjectleError) -> Service? {
            try core.serviceIfRegistered(type, key, isolation, fileID, line)
        }
    }
}

extension Core {
    /// The service, or an error that says why there is none.
    @inlinable
    func service<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt
    ) throws(InjectleError) -> Service {
        let service = try received(type) { storage throws(InjectleError) in
            try provide(type, key, isolation, fileID, line, isOptional: false, into: storage)
        }
        guard let service else { preconditionFailure("What is required is provided or thrown for.") }
        return service
    }

    /// The service, or nil if none is registered.
    @inlinable
    func serviceIfRegistered<Service>(
        _ type: Service.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt
    ) throws(InjectleError) -> Service? {
        try received(type) { storage throws(InjectleError) in
            try provide(type, key, isolation, fileID, line, isOptional: true, into: storage)
        }
    }

    /// Looks up, and makes if need be. Not generic, so that it is compiled once.
    @usableFromInline
    func provide(
        _ type: Any.Type,
        _ key: AnyHashable?,
        _ isolation: (any Actor)?,
        _ fileID: StaticString,
        _ line: UInt,
        isOptional: Bool,
        into storage: UnsafeMutableRawPointer
    ) throws(InjectleError) -> Bool {
        let request = Request(type, key, isolation, fileID, line)
        return try Resolution.provide(request, in: self, isOptional: isOptional, into: storage)
    }
}

extension Request {
    /// A request by `resolve`.
    init(_ type: Any.Type, _ key: AnyHashable?, _ isolation: (any Actor)?, _ fileID: StaticString, _ line: UInt) {
        self.init(
            identity: ServiceKey(type: type, label: key.map(ServiceKey.Label.init)),
            asker: "resolve",
            site: Site(fileID, line),
            isolation: isolation
        )
    }
}

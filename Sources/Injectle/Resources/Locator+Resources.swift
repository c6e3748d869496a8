// The one thing here that Foundation has: `URL`.
public import Foundation

extension Locator {
    /// Registers what a file says: as one value, and each of its properties under the name that this has in the file.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// struct Config: Decodable { let port: Int, hosts: [String] }
    ///
    /// // defaults.json:     { "port": 8080, "hosts": ["localhost"] }
    /// // environment.json:  { "port": 80 }
    /// func registerConfig(in locator: Locator, from defaults: URL, _ environment: URL) throws {
    ///     try locator.register(values: Config.self, from: defaults, environment)
    ///     let config = try locator.resolve(Config.self)
    ///     let port = try locator.resolve(Int.self, key: "port")
    ///     print(config.port == port)  // true: both are 80
    /// }
    /// ```
    ///
    /// The value is decoded as Foundation's decoders do it, and registered by its type, as an eager one. Besides, each
    /// property that it reads from the top level of the file is registered under its name there, as the type and with
    /// the value that the decoded value has in its own property of that name; or else, where there is none of that
    /// name, as it was read. What is nil is not registered. A property that has a wrapper is registered as what it
    /// wraps, if the wrapper stores that as its `wrappedValue`.
    ///
    /// Further files say what is different from those before: objects are merged, property by property, and everything
    /// else is replaced, arrays as a whole. In JSON, `null` takes away what was there. Only what comes out of it has to
    /// be complete.
    ///
    /// The files are read here and now, on the calling thread. All is registered in one step, or nothing.
    ///
    /// - Parameters:
    ///   - type: What the top level of the file is decoded as.
    ///   - file: A file with an object, or dictionary, as its top level.
    ///   - overrides: Files of the same format that change single values, the last one last.
    ///   - format: What the files are written in; if left out, their extension says it: `json` or `plist`.
    ///   - fileID: The file that errors name; filled in.
    ///   - line: The line that errors name; filled in.
    /// - Returns: A handle by which the value and its properties can be removed.
    /// - Throws: ``InjectleError/unreadableResource`` if a file is missing or malformed, or does not fit the type;
    ///   ``InjectleError/forbiddenReassignment`` if something that is ``Registration/final()`` would be replaced;
    ///   ``InjectleError/locatorClosed`` if the locator is.
    /// - Complexity: O(*n*) in the size of the files, and O(*k* log *k*) in the number of properties at the top level.
    @discardableResult
    public func register<Values: Decodable>(
        values type: Values.Type,
        from file: URL,
        _ overrides: URL...,
        format: ResourceFormat? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> RegistrationHandle {
        let resource = Resource([file] + overrides, format, as: type, SourceLocation(fileID, line))
        return try register(try resource.decoded(type), isSendable: false, resource.location)
    }

    /// Registers a `Sendable` value from files, and its properties.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// struct Config: Decodable, Sendable { let port: Int }
    /// let file = FileManager.default.temporaryDirectory.appendingPathComponent("port.json")
    /// try Data(#"{ "port": 8080 }"#.utf8).write(to: file)
    /// let locator = Locator("app")
    /// try locator.register(values: Config.self, from: file)
    /// print(try locator.resolve(Int.self, key: "port"))  // Prints "8080"
    /// ```
    ///
    /// - Returns: A handle by which the value and its properties can be removed.
    /// - Throws: ``InjectleError`` as the other one.
    @discardableResult
    public func register<Values: Decodable & Sendable>(
        values type: Values.Type,
        from file: URL,
        _ overrides: URL...,
        format: ResourceFormat? = nil,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) throws(InjectleError) -> RegistrationHandle {
        let resource = Resource([file] + overrides, format, as: type, SourceLocation(fileID, line))
        return try register(try resource.decoded(type), isSendable: true, resource.location)
    }

    /// What the files are written in that values are registered from.
    ///
    /// It is to be said where the extension of the file does not say it. It is a value, and can be shared by all
    /// threads.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// struct Config: Decodable { let port: Int }
    ///
    /// func registerConfig(in locator: Locator, from file: URL) throws {
    ///     try locator.register(values: Config.self, from: file, format: .propertyList)
    /// }
    /// ```
    public struct ResourceFormat: Hashable, Sendable {
        let name: String

        /// JSON.
        public static let json = ResourceFormat(name: "json")
        /// A property list, as XML or binary.
        public static let propertyList = ResourceFormat(name: "plist")
    }

    private func register<Values>(
        _ decoded: Decoded<Values>,
        isSendable: Bool,
        _ location: SourceLocation
    ) throws(InjectleError) -> RegistrationHandle {
        func record(of given: Instance, key: String?) -> RegistrationRecord {
            let rareFields = RegistrationRecord.RareFields(given: given)
            let record = RegistrationRecord(of: given.type, .eager, at: .anywhere, location, rareFields)
            record.isSendable = isSendable
            if let key { record.list(ServiceKey(given.type, key: key)) }
            return record
        }
        let properties = decoded.properties.sorted { $0.key < $1.key }
        let records =
            [record(of: Instance(decoded.values), key: nil)]
            + properties.map { name, property in record(of: property, key: name) }
        let core = core
        try core.insert(records) { (_) throws(InjectleError) in
        } refuse: { (error) throws(InjectleError) in
            throw error
        }
        return RegistrationHandle(records[0], count: records.count, in: core)
    }
}

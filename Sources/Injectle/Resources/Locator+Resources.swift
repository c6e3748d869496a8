// The one thing here that Foundation has: `URL`.
public import Foundation

extension Locator {
    /// Registers the value that a file contains, and each of its properties under the name in the file.
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
    /// The value is registered by its type, as an eager instance. Each property that it decodes from the top level of
    /// the file is registered under its name in the file, with the type and the value of the property, or as it was
    /// decoded if the value has no property of that name. Nil is not registered. A property with a wrapper is
    /// registered as its wrapped value, if the wrapper stores `wrappedValue`.
    ///
    /// Each further file overrides the files before it: objects are merged by property, and other values, arrays
    /// included, are replaced. In JSON, `null` removes a value. Only the result has to be complete.
    ///
    /// The files are read on the calling thread. All values are registered in one step, or none.
    ///
    /// - Parameters:
    ///   - type: The type of the top level of the file.
    ///   - file: A file with an object, or dictionary, as its top level.
    ///   - overrides: Files of the same format that override single values, in order.
    ///   - format: The format of the files: by their extension, `json` or `plist`, if left out.
    /// - Returns: A handle that removes the value and its properties.
    /// - Throws: ``InjectleError/unreadableResource`` if a file is missing or malformed, or does not fit the type;
    ///   ``InjectleError/forbiddenReassignment`` if it would replace a registration that is ``Registration/final()``;
    ///   ``InjectleError/locatorClosed`` if the locator is closed.
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
        return try register(try resource.decoded(type), resource.location)
    }

    /// The format of a file with values.
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
    ///
    /// Pass it if the extension of the file does not name the format.
    public struct ResourceFormat: Hashable, Sendable {
        let name: String

        /// JSON.
        public static let json = ResourceFormat(name: "json")
        /// A property list, as XML or binary.
        public static let propertyList = ResourceFormat(name: "plist")
    }

    private func register<Values>(
        _ decoded: Decoded<Values>,
        _ location: SourceLocation
    ) throws(InjectleError) -> RegistrationHandle {
        func record(of given: Instance, key: String?) -> RegistrationRecord {
            let record = unsafe RegistrationRecord(of: given.type, .eager, at: .anywhere, location, given: given)
            if let key { record.list(Locator.Identity(given.type, key: key)) }
            return record
        }
        let properties = decoded.properties.sorted { $0.key < $1.key }
        let records =
            [record(of: Instance.make(decoded.values), key: nil)]
            + properties.map { name, property in record(of: property, key: name) }
        let core = core
        try core.insert(records) { (_) throws(InjectleError) in
        } refuse: { (error) throws(InjectleError) in
            throw error
        }
        return RegistrationHandle(records[0], count: records.count, in: core)
    }
}

public import Foundation

extension Locator.Registration {
    /// A shared service that is decoded from a file on first use.
    ///
    /// ```swift
    /// import Foundation
    /// import Injectle
    ///
    /// struct Config: Decodable, Sendable { let port: Int }
    ///
    /// // config.json: { "port": 8080 }
    /// func registerConfig(in locator: Locator, from file: URL) throws {
    ///     locator.register(.decoded(Config.self, from: file))
    ///     print(try locator.resolve(Config.self).port)  // 8080
    /// }
    /// ```
    ///
    /// A resolve throws ``InjectleError/factoryFailed`` if the file is missing or does not fit the type. Its text names
    /// the file, and ``InjectleError/underlying`` is the error of Foundation. The next resolve reads the file again.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - file: A property list if its extension is `plist`, else JSON.
    ///   - isolation: The actor on which the file is decoded.
    /// - Complexity: O(1); the first resolve, O(*n*) in the size of the file.
    public static func decoded(
        _ type: Service.Type,
        from file: URL,
        isolation: (any Actor)? = #isolation,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self where Service: Decodable {
        .lazy(isolation: isolation, fileID: fileID, line: line) {
            do {
                let data = try Data(contentsOf: file)
                return try file.pathExtension.lowercased() == "plist"
                    ? PropertyListDecoder().decode(Service.self, from: data)
                    : JSONDecoder().decode(Service.self, from: data)
            } catch {
                throw CreationFailure.unreadable(file: file.path, error)
            }
        }
    }
}

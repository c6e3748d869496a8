public import Injectle
#if canImport(Testing)
internal import Testing
#endif
#if canImport(XCTest)
internal import XCTest
#endif

/// The error of a service without an implementation.
struct UnimplementedError: Error, CustomStringConvertible {
    let description: String
}

extension Locator.Registration {
    /// Registers a service that a test must not use: each use is an issue, and returns a placeholder or fails.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator { $0.register(.unimplemented((any APIClient).self) { MockAPIClient() }) })
    /// struct ProfileTests {}
    /// ```
    ///
    /// The issue is at the line of the property or the call that requests the service. A property records it once. With
    /// a placeholder, the test continues. Without one, a call of `resolve` throws ``InjectleError/factoryFailed``, and
    /// a property that is read ends the process, as with a missing service.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - placeholder: Returns the service of a read, on any thread.
    /// - Returns: The registration.
    public static func unimplemented(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ placeholder: (@Sendable () -> Service)? = nil
    ) -> Self {
        .volatile(.anywhere, fileID: fileID, line: line) { () throws -> Service in
            let error = reportUse(of: Locator.Identity(type))
            guard let placeholder else { throw error }
            return placeholder()
        }
    }
}

/// Records an issue at the line of the request in progress. Returns the error of a service without a placeholder.
private func reportUse(of identity: Locator.Identity) -> UnimplementedError {
    let error = UnimplementedError(description: "\(identity) is unimplemented, and this test uses it.")
    guard let (requester, location) = Locator.requestInProgress else { return error }
    let text = """
        \(error)
          requested by  \(requester) in \(location.file):\(location.line)
          fix           .override(\(identity.sourceText)) { … }
        """
    #if canImport(Testing)
    let issues = TestScope.current?.issues ?? TestIssues(of: Test.current)
    issues.add(text, at: SourceLocation(location))
    if Test.current != nil { return error }
    #endif
    #if canImport(XCTest)
    // Has an effect in XCTest only, where the issue has none.
    XCTFail(text, file: location.file, line: location.line)
    #endif
    return error
}

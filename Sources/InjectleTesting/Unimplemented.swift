public import Injectle
#if canImport(Testing)
internal import Testing
#endif

/// The error of a service without an implementation.
struct UnimplementedError: Error, CustomStringConvertible {
    let description: String
}

extension Locator.Registration {
    /// Registers a service that a test must not use: each use is an issue, and returns a placeholder.
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
    /// The issue is at the line of the property or the call that requests the service. A property records it once. The test
    /// continues.
    ///
    /// - Parameters:
    ///   - type: The type of the service.
    ///   - placeholder: Returns the service that a read returns, on any thread.
    /// - Returns: The registration.
    public static func unimplemented(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line,
        _ placeholder: @escaping @Sendable () -> Service
    ) -> Self {
        .volatile(.anywhere, fileID: fileID, line: line) {
            reportUse(of: type)
            return placeholder()
        }
    }

    /// Registers a service that a test must not use: each use is an issue, and fails.
    ///
    /// ```swift
    /// import Injectle
    /// import InjectleTesting
    /// import Testing
    ///
    /// @Suite(.locator { $0.register(.unimplemented((any APIClient).self)) }) struct ProfileTests {}
    /// ```
    ///
    /// A call of `resolve` throws ``InjectleError/factoryFailed``. A property that is read ends the test, as with a missing
    /// service.
    ///
    /// - Parameter type: The type of the service.
    /// - Returns: The registration.
    public static func unimplemented(
        _ type: Service.Type = Service.self,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) -> Self {
        .volatile(.anywhere, fileID: fileID, line: line) { () throws -> Service in
            throw UnimplementedError(description: reportUse(of: type))
        }
    }
}

/// Records an issue at the line of the request in progress. Returns its text.
@discardableResult
private func reportUse(of type: Any.Type) -> String {
    let identity = Locator.Identity(type)
    let text = "\(identity) is unimplemented, and this test uses it."
    guard let request = Locator.requestInProgress else { return text }
    let report = """
        \(text)
          requested by  \(request.requester) in \(request.fileID):\(request.line)
          fix           .override(\(identity.typeExpression)) { … }
        """
    #if canImport(Testing)
    let location = SourceLocation(request.fileID, request.line)
    if let scope = TestScope.current {
        scope.report(report, at: location)
        return text
    }
    if Test.current != nil {
        Issue.record(Comment(rawValue: report), sourceLocation: location)
        return text
    }
    #endif
    #if canImport(XCTest)
    Locator.TestCase.record(report, request.fileID, request.line)
    #endif
    return text
}

extension Locator.Identity {
    /// The type as code.
    var typeExpression: String { "\(self)".hasPrefix("any ") ? "(\(self)).self" : "\(self).self" }
}

public import Injectle

/// Records calls in order.
public final class CallLog: Sendable {
    private let lines = Guarded<[String]>([])

    public init() {}

    public var entries: [String] { lines.value }

    public func record(_ line: String) { lines.withLock { $0.append(line) } }

    /// Returns the entries since the last call.
    public func drain() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A service that records its creation as `+name` and its disposal as `-name`.
public final class LoggedService: Sendable {
    public let name: String
    private let callLog: CallLog

    public init(_ name: String, _ callLog: CallLog) {
        self.name = name
        self.callLog = callLog
        callLog.record("+\(name)")
    }

    public func close() { callLog.record("-\(name)") }
}

extension Locator.Registration<LoggedService> {
    /// Registers an async singleton that records its creation and its disposal.
    public static func logged(_ name: String, in callLog: CallLog) -> Self {
        .lazy { () async -> LoggedService in LoggedService(name, callLog) }.onDispose { $0.close() }
    }
}

/// Returns the library's error that `body` throws, or `nil`.
public func thrown<Value>(by body: () throws -> Value) -> InjectleError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? InjectleError
    }
}

/// Returns the library's error that `body` throws, or `nil`.
public func thrown<Value>(byAwaiting body: () async throws -> Value) async -> InjectleError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? InjectleError
    }
}

public import Injectle

/// Notes what happens, in order.
public final class Diary: Sendable {
    private let lines = Guarded<[String]>([])

    public init() {}

    public var entries: [String] { lines.value }

    public func note(_ line: String) { lines.withLock { $0.append(line) } }

    /// What was noted since the last call.
    public func take() -> [String] {
        lines.withLock { lines in
            defer { lines = [] }
            return lines
        }
    }
}

/// A service that notes when it is made and when it is closed.
public final class Part: Sendable {
    public let name: String
    private let diary: Diary

    public init(_ name: String, _ diary: Diary) {
        self.name = name
        self.diary = diary
        diary.note("+\(name)")
    }

    public func close() { diary.note("-\(name)") }
}

/// The error of the library that `body` throws.
public func thrown<Value>(by body: () throws -> Value) -> InjectleError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? InjectleError
    }
}

/// The error of the library that `body` throws.
public func thrown<Value>(byAwaiting body: () async throws -> Value) async -> InjectleError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? InjectleError
    }
}

internal import CInjectle

/// A task-local variable whose values end at a task that nobody awaits: the calling task and its child tasks find a
/// value; the tasks that `Task { }` starts, which copy every task-local value, do not.
///
/// Invariant: a binding has its value, and the address where its task finds it, exactly while its body runs. Copies
/// retain the binding, and so not the value.
final class OwnTaskLocal<Value: Sendable>: Sendable {
    private struct Bound {
        let value: Value
        let address: UInt
    }
    private typealias Binding = Mutex<Bound?>

    private let variable = TaskLocal<Binding?>(wrappedValue: nil)

    /// Where the calling task finds its value: 0 without one.
    private var address: UInt { injectle_task_local_address(UInt(bitPattern: ObjectIdentifier(variable))) }

    /// The value that the calling task, or the task that awaits it, has bound.
    var current: Value? {
        @inline(__always) get { injectle_has_task_values() ? bound : nil }
    }

    private var bound: Value? {
        guard let bound = variable.get()?.snapshot, bound.address == address else { return nil }
        return bound.value
    }

    /// Binds a value while `body` runs.
    nonisolated(nonsending) func withValue<Result>(_ value: Value, _ body: () async throws -> Result) async rethrows
        -> Result
    {
        let binding = Binding(nil)
        return try await variable.withValue(binding) {
            begin(value, binding)
            defer { end(binding) }
            return try await body()
        }
    }

    private func begin(_ value: Value, _ binding: Binding) {
        injectle_count_task_value(true)
        binding.withLock { $0 = Bound(value: value, address: address) }
    }

    private func end(_ binding: Binding) {
        injectle_count_task_value(false)
        let bound = binding.withLock { $0.take() }
        withExtendedLifetime(bound) {}
    }
}

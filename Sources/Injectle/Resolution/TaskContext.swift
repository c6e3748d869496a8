/// What the calling code is part of, for a task that the library starts in its place.
struct TaskContext: Sendable {
    private let frame: TaskFrame?
    private let ending: Ending?
    private let holds: [Locator.Hold]?

    static var current: TaskContext {
        TaskContext(
            frame: TaskFrame.local.current,
            ending: Ending.local.current,
            holds: Locator.Hold.running.current
        )
    }

    /// Runs `body` as a part of that.
    func run(_ body: () async -> Void) async {
        await TaskContext.bind(holds, to: Locator.Hold.running) {
            await TaskContext.bind(ending, to: Ending.local) {
                await TaskContext.bind(frame, to: TaskFrame.local, body)
            }
        }
    }

    private static func bind<Value>(_ value: Value?, to variable: OwnTaskLocal<Value>, _ body: () async -> Void) async {
        guard let value else { return await body() }
        await variable.withValue(value, body)
    }
}

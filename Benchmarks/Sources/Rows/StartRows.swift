internal import Injectle

extension Row {
    /// Row 18: the start of a locator where one of ten registrations, or of fifty, is started. An operation is one started
    /// service. Registering is not timed.
    static let starts: [Row] = [
        Row("18a-start-1000-of-10000-lazy-to-100-of-1000") {
            (startLoop(Plan(started: 100, of: 1000)), startLoop(Plan(started: 1000, of: 10_000)))
        },
        Row("18b-start-200-of-10000-async-to-20-of-1000") {
            (
                startLoop(Plan(started: 20, of: 1000, isAsync: true)),
                startLoop(Plan(started: 200, of: 10_000, isAsync: true))
            )
        },
        Row("18c-start-1000-of-10000-lazy-to-creating-by-hand") {
            let plan = Plan(started: 1000, of: 10_000)
            return ({ count in create(plan, count) }, startLoop(plan))
        },
        Row("18d-start-200-of-10000-async-to-creating-in-tasks") {
            let plan = Plan(started: 200, of: 10_000, isAsync: true)
            return (
                { count in try inTask { await createInTasks(plan, count) } },
                startLoop(plan)
            )
        },
    ]
}

/// The registrations of a locator, and the same objects without one.
private struct Plan: TypeVisitor, @unchecked Sendable {
    // Nothing changes it after its initializer, and its closures capture types alone.
    let started: Int
    private(set) var registrars: [(Locator) -> Void] = []
    private(set) var makers: [(type: ObjectIdentifier, make: @Sendable () -> any Makeable)] = []
    private let spacing: Int
    private let isAsync: Bool

    init(started: Int, of count: Int, isAsync: Bool = false) {
        self.started = started
        self.isAsync = isAsync
        spacing = count / started
        visitDistinctTypes(count, &self)
        precondition(makers.count == started)
    }

    mutating func visit<Visited: Makeable>(_ type: Visited.Type) {
        guard registrars.count % spacing == 0 else {
            registrars.append { locator in locator.register(.lazy(.anywhere) { Visited() }) }
            return
        }
        makers.append((ObjectIdentifier(type), { Visited() }))
        if isAsync {
            registrars.append { locator in locator.register(.lazy(.anywhere) { await made(Visited.self) }) }
        } else {
            registrars.append { locator in locator.register(.lazy(.anywhere) { Visited() }.atStart()) }
        }
    }
}

private func made<Visited: Makeable>(_: Visited.Type) async -> Visited { Visited() }

private func startLoop(_ plan: Plan) -> Loop {
    { count in
        try inTask {
            var sum = Duration.zero
            let rounds = max(1, count / plan.started)
            for _ in 0..<rounds {
                let locator = Locator("benchmark")
                for register in plan.registrars { register(locator) }
                let start = ContinuousClock.now
                try await locator.start()
                sum += start.duration(to: .now)
            }
            return sum * count / (rounds * plan.started)
        }
    }
}

/// Creates the objects one after the other in a dictionary.
private func create(_ plan: Plan, _ count: Int) -> Duration {
    var sum = Duration.zero
    let rounds = max(1, count / plan.started)
    for _ in 0..<rounds {
        let start = ContinuousClock.now
        let objects = objects(plan)
        sum += start.duration(to: .now)
        withExtendedLifetime(objects) {}
    }
    return sum * count / (rounds * plan.started)
}

@inline(never)
private func objects(_ plan: Plan) -> [ObjectIdentifier: any Makeable] {
    var objects: [ObjectIdentifier: any Makeable] = [:]
    for (type, make) in plan.makers { objects[type] = make() }
    return objects
}

/// Creates the objects in a task each.
private func createInTasks(_ plan: Plan, _ count: Int) async -> Duration {
    var sum = Duration.zero
    let rounds = max(1, count / plan.started)
    for _ in 0..<rounds {
        let start = ContinuousClock.now
        let objects = await objectsOfTasks(plan)
        sum += start.duration(to: .now)
        withExtendedLifetime(objects) {}
    }
    return sum * count / (rounds * plan.started)
}

@inline(never)
private func objectsOfTasks(_ plan: Plan) async -> [ObjectIdentifier: any Makeable] {
    await withTaskGroup(of: (ObjectIdentifier, any Makeable).self) { group in
        for (type, make) in plan.makers { group.addTask { (type, make()) } }
        return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
    }
}

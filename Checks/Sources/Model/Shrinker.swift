/// The first statement after which the library and the model differ.
struct Divergence: CustomStringConvertible {
    var index: Int
    var expected: String
    var observed: String

    var description: String { "expected  \(expected)\nobserved  \(observed)" }
}

/// Executes programs with the library and with the model, and compares.
enum Runner {
    /// - Returns: The first difference, or nil.
    static func run(_ program: [Operation]) async -> Divergence? {
        var model = Model()
        var subject = Subject()
        for (index, operation) in program.enumerated() {
            guard let expected = try? model.perform(operation) else { continue }
            let observed = await subject.perform(operation)
            let isEqual =
                model.isOrdered
                ? expected == observed
                : expected.result == observed.result && model.renumber(expected.effects, as: observed.effects)
            if !isEqual {
                return Divergence(index: index, expected: "\(expected)", observed: "\(observed)")
            }
            let state = model.snapshot()
            var observedState = subject.snapshot()
            await waitUntil {
                observedState = subject.snapshot()
                return state.alive == observedState.alive
            }
            if state != observedState {
                return Divergence(
                    index: index,
                    expected: difference(state, observedState),
                    observed: difference(observedState, state)
                )
            }
        }
        let expected = model.end()
        subject.end()
        var observed: Set<InstanceID> = []
        await waitUntil {
            observed = subject.alive
            return observed == expected
        }
        if observed == expected { return nil }
        return Divergence(
            index: program.count - 1,
            expected: "alive at the end \(expected.sorted())",
            observed: "alive at the end \(observed.sorted())"
        )
    }

    /// Yields until a condition holds, for a second at most: a task can retain its result for a moment after its
    /// callers have resumed.
    private static func waitUntil(_ condition: () -> Bool) async {
        if condition() { return }
        let end = ContinuousClock.now + .seconds(1)
        while !condition(), ContinuousClock.now < end { await Task.yield() }
    }

    private static func difference(_ state: Snapshot, _ other: Snapshot) -> String {
        var text = ""
        if state.alive != other.alive { text += "alive \(state.alive.sorted()) " }
        for (id, lines) in state.registrations where other.registrations[id] != lines {
            text += "l\(id) registrations \(lines.map { "\($0.identity)\($0.isCreated ? " created" : "")" }) "
        }
        for (id, identities) in state.registered where other.registered[id] != identities {
            text += "l\(id) registered \(identities.map(\.description).sorted()) "
        }
        return text
    }
}

/// Finds a short program that fails as a long one does.
enum Shrinker {
    /// Removes chunks of statements, then single ones, as long as `fails` returns true.
    static func shrink(_ program: [Operation], where fails: ([Operation]) async -> Bool) async -> [Operation] {
        var program = program
        var size = program.count / 2
        while size >= 1 {
            var removed = false
            var start = program.count - size
            while start >= 0 {
                var shorter = program
                shorter.removeSubrange(start..<min(start + size, program.count))
                if await fails(shorter) {
                    program = shorter
                    removed = true
                }
                start -= size
                start = min(start, program.count - size)
            }
            if !removed || size > 1 { size /= 2 }
        }
        return await simplify(program, where: fails)
    }

    /// Removes parts of statements.
    private static func simplify(_ program: [Operation], where fails: ([Operation]) async -> Bool) async -> [Operation]
    {
        var program = program
        for index in program.indices {
            var isSimpler = true
            while isSimpler {
                isSimpler = false
                for operation in program[index].simpler {
                    var candidate = program
                    candidate[index] = operation
                    if await fails(candidate) {
                        program = candidate
                        isSimpler = true
                        break
                    }
                }
            }
        }
        return program
    }
}

extension Operation {
    /// The statement without one of its parts.
    fileprivate var simpler: [Operation] {
        switch self {
        case .register(let id, let recipe, let locator, let check):
            var recipes: [Recipe] = []
            func add(_ change: (inout Recipe) -> Void) {
                var copy = recipe
                change(&copy)
                recipes.append(copy)
            }
            for index in recipe.dependencies.indices { add { $0.dependencies.remove(at: index) } }
            for index in recipe.hooks.indices { add { $0.hooks.remove(at: index) } }
            if recipe.listings.count > 1 {
                for index in recipe.listings.indices { add { $0.listings.remove(at: index) } }
            }
            if recipe.failures > 0 { add { $0.failures = 0 } }
            if recipe.isFinal { add { $0.isFinal = false } }
            if recipe.isAtStart { add { $0.isAtStart = false } }
            if recipe.declared != .none { add { $0.declared = .none } }
            if case .composite(let parts)? = recipe.lifetime, parts.count > 2 {
                for index in parts.indices {
                    add {
                        var shorter = parts
                        shorter.remove(at: index)
                        $0.source = .closure(.composite(shorter))
                    }
                }
            }
            let simpler = recipes.map { Operation.register(id, $0, in: locator, check) }
            return check == .none ? simpler : simpler + [.register(id, recipe, in: locator, .none)]
        case .resolve(let request, let locator, let variable?):
            return [.resolve(request, in: locator, into: nil)].filter { _ in
                variable >= 0
            }
        case .apply(let modules, let locator):
            var simpler: [[ModuleSpecification]] = []
            for index in modules.indices {
                if modules.count > 1 {
                    simpler.append(modules.enumerated().filter { $0.offset != index }.map(\.element))
                }
                func replace(_ list: WritableKeyPath<ModuleSpecification, [Operation]>) {
                    for position in modules[index][keyPath: list].indices {
                        var copy = modules
                        copy[index][keyPath: list].remove(at: position)
                        simpler.append(copy)
                        for operation in modules[index][keyPath: list][position].simpler {
                            var copy = modules
                            copy[index][keyPath: list][position] = operation
                            simpler.append(copy)
                        }
                    }
                }
                replace(\.registering)
                replace(\.warmingUp)
            }
            return simpler.map { .apply($0, in: locator) }
        default: return []
        }
    }
}

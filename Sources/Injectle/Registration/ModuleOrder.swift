/// The modules of one call in the order of their phases: those that are needed first, each once.
///
/// Calls user code, so no lock is held during its creation.
struct ModuleOrder {
    /// The modules.
    private(set) var modules: [any Locator.Module] = []
    /// Which they are, in the same order.
    private(set) var ids: [AnyHashable] = []
    /// Those that need no second look.
    private var done: Set<AnyHashable>
    /// Those whose needs are being looked at, each needed by the one before.
    private var path: [(id: AnyHashable, type: any Locator.Module.Type)] = []

    /// - Parameter applied: The modules that are not to be applied again.
    init(besides applied: [AnyHashable]) {
        done = Set(applied)
    }

    /// Adds modules and all that they need.
    mutating func add(_ wanted: [any Locator.Module]) throws(InjectleError) {
        for module in wanted {
            let id = module.id
            if done.contains(id) { continue }
            path.append((id, type(of: module)))
            if let first = path.firstIndex(where: { $0.id == id }), first < path.count - 1 {
                throw .circularDependency(ofModules: Array(path[first...]))
            }
            try add(module.requires)
            path.removeLast()
            modules.append(module)
            ids.append(id)
            done.insert(id)
        }
    }
}

/// The modules of one call in their order: required ones first.
///
/// Calls user code, so no lock is held during its creation.
struct ModuleOrder {
    /// The modules.
    private(set) var modules: [any Locator.Module] = []
    /// Their identities, in the same order.
    private(set) var ids: [AnyHashable] = []
    /// The identities of the modules that are applied.
    private var done: Set<AnyHashable>
    /// Those of the required modules of this call.
    private var required: Set<AnyHashable> = []
    /// The modules whose requirements are being added, each required by the one before.
    private var path: [(id: AnyHashable, type: any Locator.Module.Type)] = []

    /// - Parameter applied: The modules that are not to be applied again.
    init(besides applied: [AnyHashable]) {
        done = Set(applied)
    }

    /// Adds modules and all that they require.
    mutating func add(_ wanted: [any Locator.Module]) throws(InjectleError) {
        let areRequired = !path.isEmpty
        for module in wanted {
            let id = module.id
            // Of one type, each object that is passed to `apply` is applied, and one that modules require.
            let hasOwnID = id.base as? ObjectIdentifier != ObjectIdentifier(type(of: module))
            if hasOwnID || areRequired || required.contains(id), done.contains(id) { continue }
            path.append((id, type(of: module)))
            if let first = path.firstIndex(where: { $0.id == id }), first < path.count - 1 {
                throw .circularDependency(ofModules: Array(path[first...]))
            }
            try add(module.requires)
            path.removeLast()
            modules.append(module)
            ids.append(id)
            done.insert(id)
            if areRequired { required.insert(id) }
        }
    }
}

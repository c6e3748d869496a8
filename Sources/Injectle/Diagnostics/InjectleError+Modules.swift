extension InjectleError {
    /// A module requires itself.
    ///
    /// - Parameter path: The modules of the circle, which begins and ends with the same one.
    static func circularDependency(ofModules path: [(id: AnyHashable, type: any Locator.Module.Type)]) -> InjectleError
    {
        let names = path.map { $0.base is ObjectIdentifier ? spelled($1) : "\(spelled($1)) (\(shortened("\($0)")))" }
        return InjectleError(.circularDependency, Locator.Identity(path.first?.type ?? Never.self)) { report in
            report.fix(
                """
                remove \(names.last ?? "") from the `requires` of \(names.dropLast().last ?? ""), or move the common \
                part to a module of its own
                """
            )
            return "Circular dependency of modules: \(names.joined(separator: " → "))"
        }
    }

    /// Another thread applies a module, and waits for one that this thread applies.
    static func deadlock(ofModule id: AnyHashable, in core: LocatorCore) -> InjectleError {
        let name = id.base is ObjectIdentifier ? "a module" : "the module \(shortened("\(id)"))"
        return InjectleError(.deadlock, Locator.Identity(Locator.self)) { report in
            report.fix("apply modules that require each other's modules by one call of `apply`")
            return """
                Deadlock: another thread applies \(name) to \(core.title), and waits for modules that this thread applies.
                """
        }
    }
}

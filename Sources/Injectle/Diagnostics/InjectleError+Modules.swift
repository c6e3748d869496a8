extension InjectleError {
    /// A module needs itself.
    ///
    /// - Parameter path: The modules on the way from it to itself, at both ends of which it stands.
    static func cycle(ofModules path: ArraySlice<ModuleOrder.Step>) -> InjectleError {
        let names = path.map(\.name)
        var report = Report("The module \(names.first ?? "") needs itself.")
        report.add("path", names.joined(separator: " → "))
        report.add(
            "fix",
            "take \(names.last ?? "") out of the `requires` of \(names.dropLast().last ?? ""), "
                + "or put what both need into a module of its own"
        )
        return InjectleError(cycle, ServiceKey(path.first?.type ?? Never.self), report)
    }

    /// Modules wait for others that are applied on another thread, and these for what this thread does.
    static func deadlock(ofModules identity: ServiceKey, in core: LocatorCore) -> InjectleError {
        var report = Report(
            "\(identity) is to be applied to \(core.title), where a thread applies modules that waits for this one."
        )
        report.add("fix", "apply modules to one locator after the other, not from within a phase or a factory")
        return InjectleError(deadlock, identity, report)
    }
}

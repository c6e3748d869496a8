internal import Injectle

extension Row {
    /// Row 12: overrides.
    static let overrides: [Row] = [
        Row("12a-bind-override-and-resolve") {
            let locator = try locatorWithSingleton(among: 10)
            let service = Singletons.service
            return (
                { count in repeated(count) { bindAndRead(service, &$0) } },
                { count in try repeated(count) { try bindAndResolve(locator, &$0) } }
            )
        },
        Row("12b-make-and-bind-and-drop-child") {
            let parent = try locatorWithSingleton(among: 10)
            let plainParent = Scope(parent: nil)
            let service = Singletons.service
            return (
                { count in repeated(count) { bindScopeAndRead(service, plainParent, &$0) } },
                { count in try repeated(count) { try bindChildAndResolve(service, parent, &$0) } }
            )
        },
    ]
}

/// The same code without a locator.
private enum Current {
    @TaskLocal static var service: (any Service)?
    @TaskLocal static var scope: Scope?
}

/// A child locator, by hand.
private final class Scope: Sendable {
    let services: [ObjectIdentifier: any Sendable]
    let parent: Scope?

    init(_ services: [ObjectIdentifier: any Sendable] = [:], parent: Scope?) {
        self.services = services
        self.parent = parent
    }

    func service() -> (any Service)? {
        (services[ObjectIdentifier((any Service).self)] as? any Service) ?? parent?.service()
    }
}

@inline(never)
private func bindAndRead(_ service: any Service, _ result: inout (any Service)?) {
    Current.$service.withValue(service) { result = Current.service }
}

@inline(never)
private func bindAndResolve(_ locator: Locator, _ result: inout (any Service)?) throws {
    try Locator.$shared.withValue(locator) { result = try Locator.shared.resolve((any Service).self) }
}

@inline(never)
private func bindScopeAndRead(_ service: any Service, _ parent: Scope, _ result: inout (any Service)?) {
    let scope = Scope([ObjectIdentifier((any Service).self): service], parent: parent)
    Current.$scope.withValue(scope) { result = Current.scope?.service() }
}

@inline(never)
private func bindChildAndResolve(_ service: any Service, _ parent: Locator, _ result: inout (any Service)?) throws {
    let child = parent.child { $0.register(.eager(service), for: (any Service).self) }
    try Locator.$shared.withValue(child) { result = try Locator.shared.resolve((any Service).self) }
}

internal import Injectle

// Properties that can end the process once the checked child has ended: after a logout, or after a request.

extension DependencyGraph {
    /// A property whose service ends with the checked child.
    struct EndedRead {
        let property: Property
        let registration: RegistrationFacts
        /// The node that has the property, or nil for a root.
        let node: Int?
    }

    /// Records the property of a requirement, if it cannot return a service once the child has ended.
    mutating func addEndedRead(
        _ requirement: Requirement,
        of registration: RegistrationFacts,
        by creator: LocatorFacts,
        _ node: Int?
    ) {
        guard let property = requirement.property, property.isRead, requirement.kind == .property,
            creator.id == locator.id,
            let parent = locator.parent, registration.ends(with: locator),
            case .registration = locator.lookUp(requirement.identity)
        else { return }
        // Then the property reads what an ancestor has.
        if case .registration(let other) = parent.lookUp(requirement.identity), !other.ends(with: locator) { return }
        endedReads.append(EndedRead(property: property, registration: registration, node: node))
    }

    /// Notes of a strict check of a child.
    var readsAfterEnd: [Locator.Finding] {
        var seen: Set<Locator.Finding> = []
        return endedReads.filter { read in read.node.map { !nodes[$0].registration.isSkipped } ?? true }
            .map(finding).filter { seen.insert($0).inserted }
    }

    private func finding(of read: EndedRead) -> Locator.Finding {
        let owner = Locator.Identity(read.property.owner)
        let service = read.registration.identity
        let property = read.property.name.map { "The property `\($0)` of \(owner)" } ?? "A property of \(owner)"
        let name = read.property.name ?? "service"
        return Locator.Finding(
            .endsWithLocator,
            of: owner.description,
            in: read.property.location ?? read.node.map { nodes[$0].registration.location } ?? locator.title,
            label: read.property.location != nil ? "property" : read.node == nil ? "checked" : "registered",
            "\(property) reads \(service), which ends with \(locator.title): a later read ends the process.",
            fix: "keep it: `@Injected(resolve: .eager) var \(name)`; or take it as a parameter of the initializer",
            on: (service.description, read.registration.location),
            path: [owner, service].map(\.description)
        )
    }
}

extension RegistrationFacts {
    /// Whether its instance for a locator ends with that.
    fileprivate func ends(with locator: LocatorFacts) -> Bool {
        self.locator.id == locator.id
            || lifetimeParts.contains { $0.locatorName.map { locator.isNamed($0) } ?? $0.isPerLocator }
    }
}

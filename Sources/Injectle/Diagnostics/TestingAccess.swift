// What `InjectleTesting` needs from this module beside public symbols and `PropertyObserver`.

/// The file and the line of a property or of a call.
package struct RequestLocation: Sendable {
    package let file: StaticString
    package let line: UInt
}

extension SourceLocation {
    var forTests: RequestLocation { RequestLocation(file: file, line: line) }
}

extension Locator.Event {
    /// The function or property that requested a resolved service, and its place.
    package var request: (requester: StaticString, location: RequestLocation)? {
        source.map { ($0.origin.requester, $0.origin.location.forTests) }
    }

    /// Whether the service was the innermost one on the path, requested by no other service.
    package var isOutermost: Bool { callers.isEmpty }

    /// Whether a locator has inherited the registration of a resolved service: from an ancestor, or as one of its first
    /// registrations, which it has copied.
    package func isInherited(by locator: Locator, copied: Int) -> Bool {
        guard let registrant = source?.registrant else { return false }
        let core = locator.core
        if registrant != ObjectIdentifier(core) { return core.chain.contains { ObjectIdentifier($0) == registrant } }
        if copied == 0 { return false }
        let found = core.find(identity).found ?? core.registrationsWithArguments(as: identity).first
        return found.map { $0.record.order <= copied } ?? false
    }
}

extension Locator {
    /// The request of the service whose factory closure runs on this thread: the function or property, and its place.
    package static var requestInProgress: (requester: StaticString, location: RequestLocation)? {
        Frame.currentOrigin.map { ($0.requester, $0.location.forTests) }
    }

    /// The number of registrations so far, with replaced ones: the position of the latest.
    package var registrationCount: Int { core.state.withLock { $0.insertionCount } }

    /// Lets later registrations override the present ones: replace them under all identities, with any arguments.
    package func makeRegistrationsOverridable() { core.makePresentOverridable() }

    /// Whether the locator is closed.
    package var isClosed: Bool { core.hasEnded }

    /// The instances that this locator and its descendants have created and keep, as far as they are objects.
    package var createdObjects: [(identity: Locator.Identity, object: AnyObject)] {
        core.withDescendants.flatMap { core in
            core.registrations.compactMap { found in
                guard !found.record.traits.lifetime.isSupplied, let instance = core.instance(of: found.record) else {
                    return nil
                }
                return instance.object.map { (found.entry.identity, $0) }
            }
        }
    }
}

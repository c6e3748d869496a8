// What `InjectleTesting` needs from this module: all of it on paths that are slow or that fail.

/// The file and the line of a property or of a call.
package struct RequestLocation: Sendable {
    package let file: StaticString
    package let line: UInt
}

/// A behavior that is notified of the properties of services, and of calls that fail.
package protocol PropertyObserver: Locator.Behavior {
    /// Called when a property is created while the calling code creates a service.
    ///
    /// - Parameter location: The file and line of the property.
    func didCreateProperty(of identity: Locator.Identity, at location: String)

    /// Whether a property that resolves its service at once leaves that to its first read.
    var defersProperties: Bool { get }

    /// Records a read that cannot return a service, and then traps. Called on its thread, without a lock.
    ///
    /// - Parameter location: The file and the line of the property.
    /// - Returns: The text of the trap, or nil if the read belongs to no test. Then the next observer is called.
    func readDidFail(_ error: InjectleError, at location: RequestLocation) -> String?

    /// Called before a call of `resolve` outside of creations throws an error, if the behavior observes resolves.
    ///
    /// - Parameter location: The file and the line of the call.
    func resolveWillThrow(_ error: InjectleError, at location: RequestLocation)
}

extension PropertyObserver {
    package func didCreateProperty(of identity: Locator.Identity, at location: String) {}

    package var defersProperties: Bool { false }

    package func readDidFail(_ error: InjectleError, at location: RequestLocation) -> String? { nil }

    package func resolveWillThrow(_ error: InjectleError, at location: RequestLocation) {}
}

extension LocatorCore {
    /// Notifies the observers of an error that a request throws, unless a closure of a service made the request.
    func willThrow(_ error: InjectleError, at location: SourceLocation) {
        guard observes(.didResolve), Frame.currentOrigin == nil else { return }
        for observer in propertyObservers { observer.resolveWillThrow(error, at: location.forTests) }
    }

    /// Notifies the observers of a property, which the calling code creates within the creation of a service.
    func reportProperty(of identity: Locator.Identity, at location: SourceLocation) {
        for observer in propertyObservers { observer.didCreateProperty(of: identity, at: location.description) }
    }

    /// Whether an observer of the creation that the calling code is part of checks properties, none of which resolves
    /// meanwhile.
    static var defersProperties: Bool {
        guard let core = Frame.creatingContext?.core, core.observes(.didResolve) else { return false }
        return core.propertyObservers.contains(where: \.defersProperties)
    }

    /// The observers of properties of this locator and of its ancestors, the nearest first.
    var propertyObservers: [any PropertyObserver] {
        chain.flatMap { core in
            core.state.withLock { $0.extras?.behaviors ?? [] }.compactMap { $0.behavior as? any PropertyObserver }
        }
    }
}

extension SourceLocation {
    var forTests: RequestLocation { RequestLocation(file: file, line: line) }
}

extension Locator.Event {
    /// Where a resolved service comes from.
    struct Source: Sendable {
        /// The request.
        let origin: Request.Origin
        /// The locator that has the registration.
        let registrant: ObjectIdentifier
        /// Whether the service is an element of a list.
        let isContribution: Bool
    }

    /// Whether a resolved service is an element of a list.
    package var isContribution: Bool { source?.isContribution ?? false }

    /// Whether a decorator has resolved the service that it wraps.
    package var isOfDecorator: Bool { source?.origin.kind == .decorator }

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
        ([core] + core.descendants).flatMap { core in
            core.registrations.compactMap { found in
                guard !found.record.traits.lifetime.isSupplied, let instance = core.instance(of: found.record) else {
                    return nil
                }
                return instance.object.map { (found.entry.identity, $0) }
            }
        }
    }
}

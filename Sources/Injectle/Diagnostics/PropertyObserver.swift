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

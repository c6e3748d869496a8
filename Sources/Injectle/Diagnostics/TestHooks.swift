// What `InjectleTesting` needs from this module: all of it on paths that are slow or that fail.

/// A behavior that is notified of the properties of services.
package protocol PropertyObserver: Locator.Behavior {
    /// Called when a property is created while the calling code creates a service.
    ///
    /// - Parameter location: The file and line of the property.
    func didCreateProperty(of identity: Locator.Identity, at location: String)

    /// Whether a property that resolves its service at once leaves that to its first read.
    var defersProperties: Bool { get }

    /// Called on the thread of a read that cannot return a service, and traps if this returns. No lock is held.
    ///
    /// - Parameters:
    ///   - location: The file and the line of the property.
    ///   - blocksClose: Whether the read is part of a creation or of a close, which a thread that never returns leaves in
    ///     progress.
    func readDidFail(_ error: InjectleError, at location: (fileID: String, line: Int), blocksClose: Bool)
}

extension PropertyObserver {
    package func didCreateProperty(of identity: Locator.Identity, at location: String) {}

    package var defersProperties: Bool { false }

    package func readDidFail(_ error: InjectleError, at location: (fileID: String, line: Int), blocksClose: Bool) {}
}

extension LocatorCore {
    /// The observers of properties of this locator and of its ancestors, the nearest first.
    var propertyObservers: [any PropertyObserver] {
        chain.flatMap { core in
            core.state.withLock { $0.behaviors }.compactMap { $0.behavior as? any PropertyObserver }
        }
    }
}

extension SourceLocation {
    /// The file and the line.
    var parts: (fileID: String, line: Int) { ("\(file)", Int(line)) }
}

extension Request {
    fileprivate static func parts(_ origin: Origin) -> (requester: String, fileID: String, line: Int) {
        ("\(origin.requester)", "\(origin.location.file)", Int(origin.location.line))
    }
}

extension Locator.Event {
    /// The request of a resolve, and the locator that has the registration.
    typealias Source = (origin: Request.Origin, registrant: ObjectIdentifier)

    /// The function or property that requested a resolved service, its file and its line.
    package var request: (requester: String, fileID: String, line: Int)? {
        source.map { Request.parts($0.origin) }
    }

    /// Whether the service was the innermost one on the path, requested by no other service.
    package var isOutermost: Bool { callers.isEmpty }

    /// Whether a locator has inherited the registration of a resolved service: from an ancestor, or as one of its first
    /// entries, which it has copied.
    package func isInherited(by locator: Locator, copied: Int) -> Bool {
        guard let registrant = source?.registrant else { return false }
        let core = locator.core
        if registrant != ObjectIdentifier(core) { return core.chain.contains { ObjectIdentifier($0) == registrant } }
        if copied == 0 { return false }
        let found = core.find(identity) ?? core.registrationsDeclaringArguments(as: identity).first
        return found.map { $0.entry.order <= copied } ?? false
    }
}

extension Locator {
    /// The request of the service whose factory closure runs on this thread: its requester, file and line.
    package static var requestInProgress: (requester: String, fileID: String, line: Int)? {
        Frame.currentOrigin.map(Request.parts)
    }

    /// The number of entries that were registered before the current layer.
    package var layer: Int { core.state.withLock { $0.layer } }

    /// Lets later registrations replace the present ones whichever arguments these declare.
    package func beginLayer() { core.beginLayer() }

    /// Whether the locator is closed.
    package var isClosed: Bool { core.isTerminated }

    /// The instances that this locator and its descendants have created and keep, as far as they are objects.
    package var createdObjects: [(identity: Locator.Identity, object: AnyObject)] {
        ([core] + core.descendants).flatMap { core in
            core.registrations.compactMap { LocatorCore.found($0) }.compactMap { entry, record in
                guard !record.traits.lifetime.isGiven, let instance = core.instance(of: record) else { return nil }
                return instance.object.map { (entry.identity, $0) }
            }
        }
    }
}

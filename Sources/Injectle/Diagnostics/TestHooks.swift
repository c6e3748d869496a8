// What `InjectleTesting` needs from this module: all of it on paths that are slow or that fail.

/// A read of a property that cannot return a service.
package struct FailedRead: Sendable {
    /// The reason.
    package let error: InjectleError
    /// The file and the line of the property.
    package let fileID: String
    package let line: Int
    /// Whether the read is part of a creation or of a close, which a thread that never returns leaves in progress.
    package let blocksClose: Bool
}

/// A behavior that gets the failed reads of properties before they trap.
package protocol FailedReadObserver: Locator.Behavior {
    /// Called on the thread of the read, which traps if this returns. No lock is held.
    func readDidFail(_ read: FailedRead)
}

extension InjectionHeader {
    /// Traps with the text of an error, unless an observer of the property's locator, or of the current one, never returns.
    @usableFromInline
    @inline(never)
    static func stop(_ error: InjectleError, _ property: Unmanaged<InjectionPoint>) -> Never {
        let property = unsafe property.takeUnretainedValue()
        let (fileID, line) = property.header.location.parts
        let blocksClose = unsafe Frame.current != nil || CloseOperation.currentNode != nil
        let read = FailedRead(error: error, fileID: fileID, line: line, blocksClose: blocksClose)
        let observer = property.core.failedReadObserver ?? CurrentLocator.override?.core.failedReadObserver
        observer?.readDidFail(read)
        fatalError(error.description)
    }
}

extension LocatorCore {
    /// The observer of the failed reads of this locator or of its nearest ancestor that has one.
    var failedReadObserver: (any FailedReadObserver)? {
        chain.lazy.compactMap { core in
            core.lock.withLock { core.behaviors }.lazy.compactMap { $0.behavior as? any FailedReadObserver }.first
        }.first
    }
}

extension SourceLocation {
    /// The file and the line.
    var parts: (fileID: String, line: Int) {
        let text = description
        guard let colon = text.lastIndex(of: ":") else { return (text, 0) }
        return (String(text[..<colon]), Int(text[text.index(after: colon)...]) ?? 0)
    }
}

extension Locator.Event {
    /// The request of a resolve, and the locator that has the registration.
    struct Source: Sendable {
        let origin: ResolveRequest.Origin
        let registrant: ObjectIdentifier

        init(_ origin: ResolveRequest.Origin, _ registrant: LocatorCore) {
            self.origin = origin
            self.registrant = ObjectIdentifier(registrant)
        }
    }

    /// The function or property that requested a resolved service, its file and its line.
    package var request: (requester: String, fileID: String, line: Int)? {
        guard let origin = source?.origin else { return nil }
        let (fileID, line) = origin.location.parts
        return (origin.requester.rawValue, fileID, line)
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
        let entry = core.find(identity) ?? core.entriesDeclaringArguments(as: identity).first
        return entry.map { $0.order <= copied } ?? false
    }
}

extension Locator {
    /// The request of the service whose factory closure runs on this thread: its requester, file and line.
    package static var requestInProgress: (requester: String, fileID: String, line: Int)? {
        guard let origin = unsafe Frame.current?.pointee.origin else { return nil }
        let (fileID, line) = origin.location.parts
        return (origin.requester.rawValue, fileID, line)
    }

    /// The number of entries that were registered before the current layer.
    package var layer: Int { core.lock.withLock { core.layer } }

    /// Lets later registrations replace the present ones whichever arguments these declare.
    package func beginLayer() { core.beginLayer() }

    /// Whether the locator is closed.
    package var isClosed: Bool { core.isTerminated }

    /// The instances that this locator and its descendants have created and keep, as far as they are objects.
    package var createdObjects: [(identity: Locator.Identity, object: AnyObject)] {
        ([core] + core.descendants).flatMap { core in
            core.ownEntries.compactMap { entry in
                guard !entry.record.isGiven, let instance = core.instance(of: entry.record) else { return nil }
                return instance.object.map { (entry.identity, $0) }
            }
        }
    }
}

// The way from a request to a service, for tasks.

extension Resolution {
    /// The service as a value of the requested type. Nil if there is none and the request is optional, or if `entry`, where
    /// that is known, was removed meanwhile.
    ///
    /// A synchronous closure cannot await its dependencies. If one of them is async and does not exist, this creates it and
    /// calls the closure again.
    static func provideInTask(
        _ request: ResolveRequest,
        of entry: Entry? = nil,
        in core: LocatorCore,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> Instance? {
        // Retained until the closure has returned, since no other object may retain them.
        var created: [(InjectleError.Needed, Instance?)] = []
        while true {
            do throws(InjectleError) {
                if let entry {
                    let creation = Creation(of: entry, for: request, from: core)
                    return try await creation.provideInTask(isolation)
                }
                let found = try find(request, in: core)
                if let type = found.composed {
                    return try await type.provideInTask(request, in: core, isolation: isolation)
                }
                guard let entry = found.entry else { return nil }
                let start = core.begin(.didResolve)
                let creation = Creation(of: entry, for: request, from: core)
                // A registration that was removed meanwhile is looked up again.
                guard let instance = try await creation.provideInTask(isolation) else { continue }
                if let start { core.didResolve(entry, at: request.origin, since: start) }
                return instance
            } catch {
                guard let needed = error.needed, !created.contains(where: { isSame($0.0, needed) }) else {
                    throw error.withoutNeed
                }
                do throws(InjectleError) {
                    let (entry, request, caller) = needed
                    let only = request.creatingOnly
                    let instance = try await provideInTask(only, of: entry, in: caller, isolation: isolation)
                    created.append((needed, instance))
                } catch {
                    throw error.withoutNeed
                }
            }
        }
    }

    private static func isSame(_ left: InjectleError.Needed, _ right: InjectleError.Needed) -> Bool {
        left.entry.record === right.entry.record && left.caller === right.caller
            && Arguments.areEqual(left.request.arguments, right.request.arguments)
    }

    /// The services that contribute to the list of a type, in order of registration.
    static func provideListInTask(
        of element: Any.Type,
        _ request: ResolveRequest,
        in core: LocatorCore,
        isolation: isolated (any Actor)?
    ) async throws(InjectleError) -> [Instance] {
        let entries = core.contributions(to: unwrapped(element), userKey: request.identity.userKey)
        let identity = request.identity
        // The list counts as one resolve of several services.
        let group = Entry.make(identity: identity, record: .syntheticInTask, core: core, order: 0, role: .temporary)
        let origin = request.origin
        return try await TaskFrame.run(entry: group, core: core, for: origin) { () async throws(InjectleError) in
            var instances: [Instance] = []
            for entry in entries {
                try entry.checkArguments(of: request, in: core)
                let start = core.begin(.didResolve)
                let part = request.part(entry.identity.type)
                // Without those that were removed meanwhile.
                guard let instance = try await provideInTask(part, of: entry, in: core, isolation: isolation) else {
                    continue
                }
                if let start { core.didResolve(entry, at: request.origin, since: start) }
                if let form = instance.cast(to: element) { instances.append(form) }
            }
            return instances
        }
    }
}

extension LocatorCore {
    fileprivate func didResolve(_ entry: Entry, at origin: ResolveRequest.Origin, since start: ContinuousClock.Instant)
    {
        let source = Locator.Event.Source(origin, entry.core)
        send(.didResolve, of: entry.record, as: entry.identity, since: start, isAsynchronous: true, source: source)
    }
}

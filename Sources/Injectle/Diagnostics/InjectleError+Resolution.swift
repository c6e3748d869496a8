// The errors of resolving and registering. See `InjectleError.init` for what their texts may capture.

extension InjectleError {
    /// No registration has the identity of a request.
    static func missing(_ request: Request, in core: LocatorCore) -> InjectleError {
        let requested = request.identity
        let identity = Locator.Identity(unwrapped(requested.type), requested.keyed)
        let bound = LocatorCore.boundCore
        // Within a creation, the library may have bound the locator of its creator.
        let isBound = request.isBound ?? (bound === core && Frame.currentOrigin == nil)
        let creators = Creators(
            shared: Frame.shared(by: core),
            own: Frame.own(of: core),
            outermost: Frame.resolvedFromCaller(by: core),
            kind: request.origin.kind,
            foreign: Frame.foreignCreation(requesting: request, from: core),
            bound: LocatorCore.boundDescendant(of: core) { $0.find(identity).found != nil }?.title
        )
        let isUnbound = LocatorCore.lacksBoundLocator(core)
        let isParameter = Frame.isParameter(request)
        return InjectleError(.missing, identity, request) { report in
            report.addSearched(core, isBound: isBound)
            if let note = core.noteOfOverride(hiding: identity) { report.add("note", note) }
            report.addSimilar(in: core, bound, creators, isUnbound: isUnbound)
            // Callers pass values rather than services behind protocols.
            if isParameter, !isAbstract(identity.type) {
                report.fix("if callers pass it, add `.arguments(\(reference(identity)))` to the registration")
            }
            return "No service is registered as \(identity)."
        }
    }

    /// A service is not of a type that it is registered or requested as.
    static func wrongType(
        _ record: AnyRecord,
        origin identity: Locator.Identity,
        _ request: Request? = nil
    ) -> InjectleError {
        let type = record.traits.serviceType
        let location = record.traits.location
        let identities = record.traits.identities
        let listing = Locator.Listing(identity: identity, isContribution: false)
        let isContribution = !record.traits.listings.contains(listing)
        let note = record.traits.isListedByOverride(listing) ? record.traits.noteAsOverride : nil
        // An optional value that is not of the type that it wraps is nil.
        let isNil = record.readyInstance?.isNil ?? (record.isKnown(toBe: identity.type) == true)
        return InjectleError(.wrongType, identity, request) { report in
            let service = spelled(type)
            report.add("registered", "in \(location), as \(identities.map(\.description).joined(separator: ", "))")
            if isNil {
                report.fix(
                    "return a service or throw an error; what can be absent is not registered, and read by `Optject`"
                )
                return "The service that is registered as \(identity) is nil."
            }
            if let note {
                report.add("note", note)
                report.fix("register a service for \(reference(identity)), too")
                return "The service that overrides \(identity) is not of that type, but \(service)."
            }
            if identities.contains(identity) {
                let modifier = isContribution ? "contributing(to: " : "as("
                report.fix("let \(service) conform or inherit, or remove `.\(modifier)\(reference(identity.type)))`")
                return "The service that is registered as \(identity) is not of that type, but \(service)."
            }
            let types = identities.map { reference($0.type) }.joined(separator: " or ")
            report.fix("resolve \(types), or use another key")
            return "No service is registered as \(identity): the registration with that key is of \(service)."
        }
    }

    /// A registration may not be replaced.
    ///
    /// - Parameter record: The registration that would replace it. Nil where the caller knows no registration.
    static func forbidden(
        _ identity: Locator.Identity,
        in core: LocatorCore,
        taken: Found,
        by record: AnyRecord? = nil
    ) -> InjectleError {
        let present = taken.entry.identity
        let title = taken.title
        let traits = taken.record.traits
        let isFinal = traits.isFinal
        let location = traits.location
        let lifetime = traits.lifetime.description
        let other = record?.traits.location.description
        return InjectleError(.forbiddenReassignment, identity) { report in
            report.add("registered", "in \(location), as \(title), \(lifetime)\(isFinal ? ", final" : "")")
            if let other { report.add("refused", "in \(other)") }
            let key = present.keyed.map { ", key: \($0)" } ?? ""
            let removal = "unregister(\(reference(present.type))\(key))"
            report.fix("\(core.expression).\(removal)\(isFinal ? "" : ", or pass `and: allowReassignment`")")
            return "\(identity) is already registered in \(core.title), and may not be replaced."
        }
    }

    /// The creation of a service requests the same service.
    ///
    /// - Parameter depth: The depth of the frame of that creation.
    static func circularDependency(_ request: Request, _ found: Found, from depth: Int) -> InjectleError {
        InjectleError(.circularDependency, found.identity, request, fix: fix(ofCircleClosedBy: request)) { report in
            let circle = report.path[(depth - 1)...].map(\.description)
            return "Circular dependency: \((circle + ["\(report.identity)"]).joined(separator: " → "))"
        }
    }

    /// The creation of a service requests the same service, through creations of other threads or tasks.
    static func circularDependency(_ request: Request, _ found: Found, _ circle: CirclePath) -> InjectleError {
        InjectleError(.circularDependency, found.identity, request, fix: fix(ofCircleClosedBy: request)) { report in
            var services = circle.services
            if services.first != report.identity { services.insert(report.identity, at: 0) }
            let path = report.path.dropFirst(circle.position) + services
            return "Circular dependency: \(path.map(\.description).joined(separator: " → "))"
        }
    }

    /// A wait for the creation of a service would never end.
    static func deadlock(_ request: Request, _ found: Found) -> InjectleError {
        InjectleError(.deadlock, found.identity, request, fix: laterFix) {
            "Deadlock: the creation of \($0.identity) waits for this code, through a close or a module."
        }
    }

    private static let laterFix = """
        resolve one of them later: `Locator.Lazy` and a property marked `@Inject` resolve when they are read
        """

    private static func fix(ofCircleClosedBy request: Request) -> String {
        if request.origin.kind != .property { return laterFix }
        if request.origin.requester.description == "@Injected" {
            return "use `@Inject`, which resolves when it is read, or `Locator.Lazy`"
        }
        return "read the property after the initializer has returned, as in `.afterInit`, or use `Locator.Lazy`"
    }

    /// The dependencies are too deep for any thread, or for the stack of this one.
    static func tooDeep(_ request: Request, _ found: Found) -> InjectleError {
        let stack = Frame.shortStack
        return InjectleError(.circularDependency, found.identity, request) { report in
            let endless = "look for a factory closure that resolves its own type with ever new keys or arguments"
            let level = "\(report.identity) is requested at level \(report.path.count)."
            guard let stack else {
                report.fix(endless)
                return "Dependencies are too deep: \(level)"
            }
            report.fix("create it earlier, on the main thread or on a thread with a larger stack", endless)
            return "Dependencies are too deep for this thread, whose stack has \(stack) KB: \(level)"
        }
    }

    /// A service is isolated to an actor that the caller does not run on.
    static func isolation(_ request: Request, _ found: Found, timeout: String? = nil) -> InjectleError {
        let identity = found.identity
        let record = found.record
        let traits = found.record.traits
        let actor = traits.isolation.name
        let form = traits.isInitializer ? "by `.initializer(.anywhere, …)`" : traits.lifetime.anywhereForm
        var reason = timeout ?? "and was requested outside of it"
        if traits.isolation.isActor, traits.isolation.actor == nil { reason = "which was released" }
        let isTimeout = timeout != nil
        return InjectleError(.wrongIsolation, identity, request, registered: record, isTimeout: isTimeout) {
            [reason] report in
            if isTimeout {
                report.add("note", "the main thread is busy or blocked, possibly waiting for this thread")
            }
            report.fix(
                "use `resolveAsync`, which runs on \(actor), or create it there earlier, for example by `.atStart()`",
                "if any thread may create it, register it in a `nonisolated` function, or \(form)"
            )
            return "\(identity) is isolated to \(actor), \(reason)."
        }
    }

    /// All registrations declare other arguments than a request has.
    static func wrongArguments(_ request: Request, _ found: [Found], in core: LocatorCore) -> InjectleError {
        let identity = request.identity
        let given = request.arguments?.types
        let declared = found.first?.record.traits.declared ?? []
        let registrations = found.prefix(5).map { ($0.record.traits.location, $0.title) }
        return InjectleError(.wrongArguments, identity, request) { report in
            for (location, title) in registrations { report.add("registered", "in \(location), as \(title)") }
            report.fix(call(of: identity, passing: declared))
            let arguments = given.map { "with (\($0.map(spelled).joined(separator: ", ")))" } ?? "without arguments"
            return "\(identity) was requested \(arguments), and is registered for other arguments."
        }
    }

    /// A parameter of an initializer is neither registered nor passed, and the registration says that callers pass it.
    static func lackingArgument(_ request: Request, of creation: Frame.Link) -> InjectleError {
        let service = creation.identity
        let given = creation.arguments?.types
        let passed = creation.record?.traits.passed ?? []
        let missing = request.identity
        return InjectleError(.wrongArguments, service, request, registered: creation.record) { report in
            report.fix(call(of: service, passing: passed))
            let arguments = given.map { "with (\($0.map(spelled).joined(separator: ", ")))" } ?? "without arguments"
            return
                "\(service) was requested \(arguments), and its initializer takes \(missing) from its callers."
        }
    }

    /// Nothing in a service takes some arguments of a request.
    static func untaken(_ request: Request, _ found: Found, _ types: [Any.Type]) -> InjectleError {
        let given = request.arguments?.types ?? []
        let fix = "remove the argument, or add a parameter of its type to the initializer"
        return InjectleError(.wrongArguments, found.identity, request, registered: found.record, fix: fix) { report in
            let given = given.map(spelled).joined(separator: ", ")
            let untaken = types.map(spelled).joined(separator: ", ")
            return "\(report.identity) was requested with (\(given)), and nothing in it takes \(untaken)."
        }
    }

    /// An argument of a service that is cached per argument is not hashable.
    static func unhashable(_ request: Request, _ found: Found, _ type: Any.Type) -> InjectleError {
        let fix = "make it Hashable, or pass a Hashable part of it, such as an identifier"
        return InjectleError(.wrongArguments, found.identity, request, registered: found.record, fix: fix) {
            "\($0.identity) is cached per argument, and \(spelled(type)) is not Hashable."
        }
    }

    /// A service with a weak lifetime is not an object.
    static func notAnObject(_ request: Request, _ found: Found) -> InjectleError {
        let fix = "register it by `.lazy { … }`, or make \(spelled(found.record.traits.serviceType)) a class"
        return InjectleError(.invalidRegistration, found.identity, request, registered: found.record, fix: fix) {
            "\($0.identity) is not an object, so its lifetime cannot be weak."
        }
    }

    /// A registration whose closure returns `Void`, as one without `return` does.
    static func nothing(_ record: AnyRecord) -> InjectleError {
        let fix = "return the service, or state the type of the closure: `{ () -> Model in … }`"
        return InjectleError(.invalidRegistration, record.traits.identity, registered: record, fix: fix) { _ in
            "The registration has no service: its closure returns `Void`."
        }
    }

    /// No locator has the name that a lifetime requires.
    static func locatorNotFound(
        _ request: Request,
        _ found: Found,
        named name: String,
        from core: LocatorCore
    ) -> InjectleError {
        let shared = Frame.shared(by: core)
        let takesArguments = Frame.sharedTakesArguments(by: core)
        let isProperty = request.origin.kind == .property
        let bound = LocatorCore.boundDescendant(of: core) { $0.chain.contains { $0.isNamed(name) } }?.title
        return InjectleError(.locatorNotFound, found.identity, request, registered: found.record) { report in
            report.addSearched(core)
            if let shared {
                report.add("note", "\(shared) resolves from its own locator, \(core.title), and not from a child")
                report.fix(
                    takesArguments
                        ? "create \(shared) for each request: `.lifetime(.volatile)`"
                        : "create \(shared) once per \"\(name)\", too: `.lifetime(.perLocator(named: \"\(name)\"))`"
                )
            } else if let bound {
                report.addBoundChild(bound, lifetime: "`.lifetime(.perLocator(named: \"\(name)\"))`")
            } else if isProperty {
                report.fix(
                    "create its owner in a locator named \"\(name)\", or in a child of it: by `resolve` from that, or in `withValue`"
                )
            } else {
                report.fix("resolve from \(core.expression).child(\"\(name)\"), or from a child of it")
            }
            return "\(report.identity) is cached by a locator named \"\(name)\", and no such locator was found."
        }
    }

    /// Wraps an error of user code that ran to create a service, unless it is an `InjectleError` already.
    static func creation(_ found: Found, threw error: any Error, requestedBy request: Request) -> InjectleError {
        switch error {
        case let error as InjectleError: return error
        case is CancellationError: return cancelled(request, found.identity)
        case CreationFailure.actorHasGone: return isolation(request, found)
        case CreationFailure.mainActorTimeout(let reason): return isolation(request, found, timeout: reason)
        default: break
        }
        return InjectleError(.factoryFailed, found.identity, request, registered: found.record, underlying: error) {
            report in
            report.add("note", "no instance is cached, so the next resolve tries again")
            return "Failed to create \(report.identity): \(error)"
        }
    }

    /// A closure ended because its task was cancelled, or the task of a waiting caller was.
    static func cancelled(_ request: Request, _ identity: Locator.Identity) -> InjectleError {
        InjectleError(.cancelled, identity, request, underlying: CancellationError()) {
            "The creation of \($0.identity) was cancelled."
        }
    }
}

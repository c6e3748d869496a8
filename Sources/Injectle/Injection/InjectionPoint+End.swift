// Reads of a property whose locator has ended, or ends meanwhile: a screen that still animates after a logout, or an
// object that outlives its request.

extension InjectionPoint {
    /// The service of a request: from the property's locator, or, once that has ended, from the nearest ancestor that
    /// has not.
    ///
    /// The services of the locator itself have ended. A property that can be nil is nil.
    func provideAlsoAfterEnd(_ request: Request) throws(InjectleError) -> AnyInstance? {
        let core = core
        // A task can still have instances to release, which their dependents read.
        if !core.hasReleasedAll {
            do throws(InjectleError) {
                return try core.provide(request, for: self)
            } catch {
                // A service of a named locator that the property is not in, such as a session's before the login.
                if error.kind == .locatorNotFound, error.identity?.type == unwrapped(request.identity.type) {
                    return try provideNil(request, from: core, orThrow: error)
                }
                guard error.kind == .locatorClosed, core.keepsNothingNew else { throw error }
            }
        }
        do throws(InjectleError) {
            return try provide(request, fromAncestorOf: core)
        } catch {
            // Other errors are of the ancestor's service, such as an async one that it has not created.
            return try provideNil(
                request,
                from: core,
                orThrow: error.isOfAbsentService ? .ended(request, core) : error
            )
        }
    }

    /// Returns nil as a value of an optional property.
    private func provideNil(_ request: Request, from core: LocatorCore, orThrow error: @autoclosure () -> InjectleError)
        throws(InjectleError) -> AnyInstance?
    {
        if request.isOptional { return nil }
        guard let type = ComposedTypes.cast(request.identity.type), type.wrapped != nil else {
            throw error()
        }
        return type.compose([nil], for: request, in: core)
    }

    private func provide(_ request: Request, fromAncestorOf ended: LocatorCore) throws(InjectleError) -> AnyInstance? {
        for core in ended.chain.dropFirst() where !core.hasEnded {
            do throws(InjectleError) {
                try check(request, to: core, insteadOf: ended)
                return try core.provide(request, for: self)
            } catch {
                // It ends, too.
                guard error.kind == .locatorClosed, core.keepsNothingNew else { throw error }
            }
        }
        throw .ended(request, ended)
    }

    /// Throws if the lifetime gives the instance to the locator that has ended: the ancestor must neither have one in
    /// its place, nor share one between all objects that have outlived their locators.
    private func check(_ request: Request, to core: LocatorCore, insteadOf ended: LocatorCore) throws(InjectleError) {
        switch try core.lookUp(request) {
        case .nothing: break
        case .registration(let found): try check(found, of: request, insteadOf: ended)
        case .composed(let type):
            for part in type.parts(of: request, in: core) {
                switch part {
                case .request(let part): try check(part, to: core, insteadOf: ended)
                case .registration(let found, let part): try check(found, of: part, insteadOf: ended)
                }
            }
        }
    }

    private func check(_ found: Found, of request: Request, insteadOf ended: LocatorCore) throws(InjectleError) {
        if found.record.traits.lifetime.endsInstances(of: ended) { throw .ended(request, ended) }
    }
}

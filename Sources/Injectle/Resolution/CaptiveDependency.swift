extension Creation {
    /// Throws if the service that requests this one, directly or through services that are created with it, would keep the
    /// instance for longer than that lives. `DependencyGraph` decides the same without an instance.
    func checkCaptive() throws(InjectleError) {
        guard entry.record.lifetime.isLimited else { return }
        var keeper: (entry: Entry, creator: LocatorCore)?
        var isForDescendants = false
        for creation in Frame.creationsInProgress {
            if let keeper {
                isForDescendants = creation.creator !== keeper.creator
                break
            }
            // A service that is created for each request is held by its requester.
            if creation.entry.record.lifetime.keepsDependencies { keeper = (creation.entry, creation.creator) }
        }
        guard let keeper,
            keeper.entry.captures(entry, createdBy: keeper.creator, forDescendants: isForDescendants)
        else { return }
        throw .captive(request, entry, keptBy: keeper.entry)
    }
}

extension InjectleError {
    /// A service would keep an instance of another one that lives shorter.
    fileprivate static func captive(_ request: ResolveRequest, _ entry: Entry, keptBy keeper: Entry) -> InjectleError {
        let (service, location, lifetime) = (
            keeper.identity, keeper.record.location, keeper.record.lifetime.description
        )
        let shorter = entry.record.lifetime.description
        return InjectleError(captive, entry.identity, request, registered: entry.record) { report in
            report.add("kept by", "\(service), registered in \(location), \(lifetime)")
            report.fix(captiveFix(service, report.identity))
            return captiveSentence(service, lifetime, report.identity, shorter)
        }
    }

    /// The text that a captive dependency has as an error and as a finding.
    static func captiveSentence(
        _ keeper: Locator.Identity,
        _ lifetime: String,
        _ kept: Locator.Identity,
        _ shorter: String
    )
        -> String
    { "\(keeper) keeps \(kept), which lives shorter: \(lifetime) holds \(shorter)." }

    static func captiveFix(_ keeper: Locator.Identity, _ kept: Locator.Identity) -> String {
        "give \(keeper) the lifetime of \(kept), or resolve that at each use by `Locator.Provider`"
    }
}

extension Locator {
    /// What each resolve of a locator checks.
    ///
    /// ```swift
    /// let checked = Locator("checked", validation: .scopes)
    /// checked.register(.lazy { Garage() }.lifetime(.perLocator))
    /// checked.register(.lazy { locator in Desk(garage: try locator.resolve()) })
    /// do { _ = try checked.resolve(Desk.self) } catch { print(error.code) }  // Prints "captive"
    ///
    /// final class Desk { init(garage: Garage) {} }
    /// ```
    ///
    /// ``Locator/validate(roots:)-6uosj`` finds the same in registrations that declare their dependencies.
    public struct Validation: Hashable, Sendable {
        fileprivate let checksScopes: Bool

        /// Nothing: the default.
        public static var none: Validation { Validation(checksScopes: false) }

        /// Throws ``InjectleError/captive`` at the resolve by which a service would keep another one that lives shorter.
        ///
        /// Each resolve then takes longer, so switch it on in debug builds.
        public static var scopes: Validation { Validation(checksScopes: true) }
    }

    /// What each resolve of this locator checks.
    ///
    /// ```swift
    /// #if DEBUG
    /// Locator.default.validation = .scopes
    /// #endif
    /// ```
    ///
    /// A change applies to later resolves. A child starts with the validation that its parent has at that moment.
    public var validation: Validation {
        get { core.validatesScopes ? .scopes : .none }
        set {
            let core = core
            core.lock.withLock { core.set(LocatorHeader.validating, newValue.checksScopes) }
        }
    }
}

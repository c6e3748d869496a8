internal import Injectle

/// A service that a view resolves once, and the locator that it comes from.
///
/// Once it has a service, it returns that service, whatever locator it gets later. It retains the locator, since the
/// properties of the service resolve from it.
@MainActor final class ResolvedState<Service> {
    private var resolved: (service: Service, locator: Locator)?

    nonisolated init() {}

    /// Returns the service, which the first call resolves. The locator is the current one meanwhile.
    func service(from locator: Locator, by resolve: (Locator) throws -> Service) throws -> Service {
        if let resolved { return resolved.service }
        let service = try Locator.$shared.withValue(locator) { try resolve(locator) }
        resolved = (service, locator)
        return service
    }

    /// Returns the service, or the error in a preview. Traps with the text of the error elsewhere.
    func result(
        from locator: Locator,
        by resolve: (Locator) throws -> Service,
        isPreview: Bool,
        file: StaticString = #fileID,
        line: UInt = #line
    ) -> Result<Service, any Error> {
        let result = Result { try service(from: locator, by: resolve) }
        if case .failure(let error) = result, !isPreview { fatalError("\(error)", file: file, line: line) }
        return result
    }
}

/// A property of a model, as the accessors of a binding.
@MainActor struct ModelProperty<Model, Value> {
    let model: Model
    let keyPath: ReferenceWritableKeyPath<Model, Value>

    var value: Value {
        get { model[keyPath: keyPath] }
        nonmutating set { model[keyPath: keyPath] = newValue }
    }
}

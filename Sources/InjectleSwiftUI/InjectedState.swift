#if canImport(SwiftUI)
public import Injectle
public import SwiftUI

/// A property wrapper that resolves a service once for the life of a view.
///
/// ```swift
/// struct ProfileView: View {
///     @InjectedState private var model: ProfileModel
///
///     var body: some View {
///         TextField("Name", text: $model.name)
///     }
/// }
/// ```
///
/// The first read resolves the service from the locator of the environment, which is the current locator meanwhile, and
/// the view keeps both. Read it in `body` or later: the initializer of a view has no environment. A new registration
/// changes nothing. A view that is to resolve from another locator, or with other arguments, needs another identity:
/// `id(_:)`.
///
/// The view updates when a property of an `@Observable` service changes. For an `ObservableObject`, pass the service to
/// a view that declares it as `@ObservedObject`.
///
/// A read traps with the text of the `InjectleError` if the service is not registered or cannot be created, also in a
/// preview, since it has no other value to return. ``InjectedContent`` shows the text there, and an optional property
/// is nil if the service is not registered. A test with `try locator.check { ProfileView() }`, of the product
/// `InjectleDiagnostics`, finds a missing service or key, and missing arguments, without showing the view.
@propertyWrapper @dynamicMemberLookup
public struct InjectedState<Service>: DynamicProperty {
    @Environment(\.locator) private var locator
    @State private var state = ResolvedState<Service>()
    /// Resolves with a key or arguments. Nil without, so that SwiftUI can compare two values of a view.
    private let resolve: ((Locator) throws -> Service)?
    /// Creates the service in place of the locator.
    private let initial: (@MainActor () -> Service)?
    private let (fileID, line): (StaticString, UInt)
    /// Never set. From its type, `check(roots: ProfileView.self)` finds the service that the view needs.
    private let service: Locator.Provider<Service>? = nil
    /// Whether the view creates the service or passes arguments, as `check { CartView() }` reads it: a property that
    /// the initializer of the view sets was one without a key before.
    private let isOfView: Bool

    /// Declares a property with a service of the environment's locator.
    ///
    /// - Parameter key: The key of the registration, or nil for none.
    public init(_ key: AnyHashable? = nil, fileID: StaticString = #fileID, line: UInt = #line) {
        initial = nil
        isOfView = false
        resolve = key.map { key in { try $0.resolve(Service.self, key: key, fileID: fileID, line: line) } }
        self.fileID = fileID
        self.line = line
        // `check { ProfileView() }` sees this property and its key.
        _ = Inject<Service>(key, fileID: fileID, line: line)
    }

    /// Declares a property with a model that the view creates, or that another view passes.
    ///
    /// ```swift
    /// struct CartView: View {
    ///     @InjectedState private var model = CartModel()
    ///     var body: some View { Text(model.title) }
    /// }
    ///
    /// struct TotalView: View {
    ///     @InjectedState private var model: CartModel
    ///     init(model: CartModel) { _model = InjectedState(wrappedValue: model) }
    ///     var body: some View { Text(model.title) }
    /// }
    /// ```
    ///
    /// The first read evaluates the expression, with the locator of the environment as the current one: the properties
    /// of a model that it creates resolve from there. The properties of a model in a `@State` do not.
    ///
    /// - Parameter service: The model.
    public init(
        wrappedValue service: @autoclosure @escaping @MainActor () -> Service,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        initial = service
        isOfView = true
        resolve = nil
        self.fileID = fileID
        self.line = line
    }

    /// Declares a property with the type of a key.
    public init(_ key: ServiceKey<Service>, fileID: StaticString = #fileID, line: UInt = #line) {
        self.init(AnyHashable(key), fileID: fileID, line: line)
    }

    /// Declares a property whose service is created with arguments.
    ///
    /// ```swift
    /// struct PageView: View {
    ///     @InjectedState private var model: PageModel
    ///     init(id: Int) { _model = InjectedState(arguments: id) }
    ///     var body: some View { Text(model.title) }
    /// }
    /// ```
    ///
    /// Only the arguments of the first read count. Give the view an `id(_:)` that changes with them.
    @_disfavoredOverload
    public init<each Argument>(
        _ key: AnyHashable? = nil,
        arguments argument: repeat each Argument,
        fileID: StaticString = #fileID,
        line: UInt = #line
    ) {
        let arguments = (repeat each argument)
        initial = nil
        isOfView = true
        resolve = { locator in
            try locator.resolve(Service.self, key: key, arguments: repeat each arguments, fileID: fileID, line: line)
        }
        self.fileID = fileID
        self.line = line
    }

    /// The service. A read traps if the service is not registered or cannot be created.
    @MainActor public var wrappedValue: Service {
        // Outside of a preview, a failure has trapped already.
        guard case .success(let service) = result(isPreview: false) else { fatalError() }
        return service
    }

    /// The property itself, whose members are bindings to the properties of the service: `$model.name`.
    @MainActor public var projectedValue: Self { self }

    /// Returns a binding to a property of the service.
    @MainActor
    public subscript<Value>(
        dynamicMember keyPath: ReferenceWritableKeyPath<Service, Value>
    ) -> Binding<Value> {
        let property = ModelProperty(model: wrappedValue, keyPath: keyPath)
        return Binding { @MainActor in
            property.value
        } set: { @MainActor in
            property.value = $0
        }
    }

    /// Returns the service, or the error in a preview. Traps with the text of the error elsewhere.
    @MainActor func result(isPreview: Bool) -> Result<Service, any Error> {
        let resolve: (Locator) throws -> Service = { locator in
            if let initial { return initial() }
            return try self.resolve?(locator) ?? locator.resolve(Service.self, fileID: fileID, line: line)
        }
        return state.result(from: locator, by: resolve, isPreview: isPreview, file: fileID, line: line)
    }
}
#endif

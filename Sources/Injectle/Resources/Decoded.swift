/// A value that was decoded, and those of its properties that were read at the top level.
struct Decoded<Values: Decodable>: Decodable {
    let values: Values
    /// By the name in what they were read from, without those that are nil.
    let properties: [String: Instance]

    init(from decoder: any Decoder) throws {
        let readings = Readings()
        values = try Values(from: TracingDecoder(base: decoder, readings: readings))
        let stored = storedProperties(of: values)
        properties = readings.byName.reduce(into: [:]) { properties, reading in
            let (name, value) = reading
            let property = stored[name] ?? stored["_\(name)"].map(unwrappedProperty) ?? value.map(unwrappedProperty)
            guard let property else { return }
            let instance = Instance(property)
            // None, if it is nil.
            properties[name] = instance.cast(to: unwrapped(Swift.type(of: property)))
        }
    }
}

/// What was read at the top level, by its name there. One that was only asked about has no value.
final class Readings {
    private(set) var byName: [String: Any?] = [:]

    func note(_ name: String, _ value: Any? = nil) {
        byName[name] = .some(value ?? byName[name] ?? nil)
    }
}

/// The properties that a value stores, by name.
private func storedProperties(of value: Any) -> [String: Any] {
    // One that describes itself may leave out what is a secret, or show something else in its place.
    if value is any CustomReflectable { return [:] }
    var properties: [String: Any] = [:]
    // What a class inherits is in mirrors of its own.
    for mirror in sequence(first: Mirror(reflecting: value), next: \.superclassMirror) {
        for case (let name?, let property) in mirror.children where properties[name] == nil {
            properties[name] = property
        }
    }
    return properties
}

/// What a property wrapper wraps, if it stores that; anything else as it is.
private func unwrappedProperty(_ property: Any) -> Any {
    storedProperties(of: property)["wrappedValue"] ?? property
}

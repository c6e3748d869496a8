/// A decoded value, and its properties that were read at the top level.
struct Decoded<Values: Decodable>: Decodable {
    let values: Values
    /// By the name in the file, without properties that are nil.
    let properties: [String: Instance]

    init(from decoder: any Decoder) throws {
        // By name. A property of which only the presence was read has no value.
        var readings: [String: Any?] = [:]
        let base = TracingDecoder(base: decoder) { name, value in
            readings[name] = .some(value ?? readings[name] ?? nil)
        }
        values = try Values(from: base)
        let stored = storedProperties(of: values)
        properties = readings.reduce(into: [:]) { properties, reading in
            let (name, value) = reading
            let property = stored[name] ?? stored["_\(name)"].map(unwrappedProperty) ?? value.map(unwrappedProperty)
            guard let property else { return }
            let instance = Instance.make(property)
            // None, if it is nil.
            properties[name] = instance.cast(to: unwrapped(Swift.type(of: property)))
        }
    }
}

/// The properties that a value stores, by name.
private func storedProperties(of value: Any) -> [String: Any] {
    // A type with its own mirror may leave out a secret, or show something else in its place.
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

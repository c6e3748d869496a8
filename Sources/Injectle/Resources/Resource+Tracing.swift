internal import Foundation

// A layer between a user's type and Foundation's decoders. It forwards everything, notes the values that are read at the
// top level, and adds to errors their place and the expected type, which not every decoder reports for each error.

/// A decoder that hands everything to another one.
struct TracingDecoder: Decoder {
    let base: any Decoder
    /// Called with the name and the value of each property that is read, at the top level alone.
    var note: ((String, Any?) -> Void)?

    var codingPath: [any CodingKey] { base.codingPath }
    var userInfo: [CodingUserInfoKey: Any] { base.userInfo }

    func container<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
        KeyedDecodingContainer(Keyed(base: try base.container(keyedBy: type), note: note))
    }

    func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
        Unkeyed(base: try base.unkeyedContainer())
    }

    func singleValueContainer() throws -> any SingleValueDecodingContainer {
        Single(base: try base.singleValueContainer())
    }

    // In each container, one generic function is what the protocol asks for each of the types that it names.

    private struct Keyed<Key: CodingKey>: KeyedDecodingContainerProtocol {
        let base: KeyedDecodingContainer<Key>
        var note: ((String, Any?) -> Void)?

        var codingPath: [any CodingKey] { base.codingPath }
        var allKeys: [Key] { base.allKeys }

        func contains(_ key: Key) -> Bool {
            note?(key.stringValue, nil)
            return base.contains(key)
        }

        func decodeNil(forKey key: Key) throws -> Bool {
            try base.decodeNil(forKey: key)
        }

        func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
            let value = try located(type, codingPath + [key]) {
                try isLeaf(type) ? base.decode(type, forKey: key) : base.decode(Traced<Value>.self, forKey: key).value
            }
            note?(key.stringValue, value)
            return value
        }

        func nestedContainer<Next>(keyedBy type: Next.Type, forKey key: Key) throws -> KeyedDecodingContainer<Next> {
            note?(key.stringValue, nil)
            return KeyedDecodingContainer(Keyed<Next>(base: try base.nestedContainer(keyedBy: type, forKey: key)))
        }

        func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
            note?(key.stringValue, nil)
            return Unkeyed(base: try base.nestedUnkeyedContainer(forKey: key))
        }

        func superDecoder() throws -> any Decoder {
            TracingDecoder(base: try base.superDecoder())
        }

        func superDecoder(forKey key: Key) throws -> any Decoder {
            note?(key.stringValue, nil)
            return TracingDecoder(base: try base.superDecoder(forKey: key))
        }
    }

    private struct Unkeyed: UnkeyedDecodingContainer {
        var base: any UnkeyedDecodingContainer

        var codingPath: [any CodingKey] { base.codingPath }
        var count: Int? { base.count }
        var isAtEnd: Bool { base.isAtEnd }
        var currentIndex: Int { base.currentIndex }

        mutating func decodeNil() throws -> Bool {
            try base.decodeNil()
        }

        mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try located(type, codingPath + [currentIndex.codingKey]) {
                try isLeaf(type) ? base.decode(type) : base.decode(Traced<Value>.self).value
            }
        }

        mutating func nestedContainer<Key>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
            KeyedDecodingContainer(Keyed(base: try base.nestedContainer(keyedBy: type)))
        }

        mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
            Unkeyed(base: try base.nestedUnkeyedContainer())
        }

        mutating func superDecoder() throws -> any Decoder {
            TracingDecoder(base: try base.superDecoder())
        }
    }

    private struct Single: SingleValueDecodingContainer {
        let base: any SingleValueDecodingContainer

        var codingPath: [any CodingKey] { base.codingPath }

        func decodeNil() -> Bool {
            base.decodeNil()
        }

        func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
            try located(type, codingPath) {
                try isLeaf(type) ? base.decode(type) : base.decode(Traced<Value>.self).value
            }
        }
    }

    /// A value inside of another.
    private struct Traced<Value: Decodable>: Decodable {
        let value: Value

        init(from decoder: any Decoder) throws {
            value = try Value(from: TracingDecoder(base: decoder))
        }
    }

    /// The cause of an error, and the expected type at its place.
    struct Expectation: Error {
        let type: Any.Type
        /// What the decoder said of it, if it knew the place.
        let note: String?
    }
}

/// Whether decoders take it as it is, if they see its type, and there is nothing inside to look at.
private func isLeaf(_ type: Any.Type) -> Bool {
    type is any BinaryInteger.Type || type is any BinaryFloatingPoint.Type
        || [Bool.self, String.self, Date.self, Data.self, URL.self, Decimal.self].contains { $0 == type }
}

/// Decodes the value at a path, and completes its errors.
private func located<Value>(_ type: Value.Type, _ path: [any CodingKey], _ body: () throws -> Value) throws -> Value {
    func context(_ old: DecodingError.Context, _ path: [any CodingKey], note: String? = nil) -> DecodingError.Context {
        let expectation = TracingDecoder.Expectation(type: type, note: note)
        return .init(codingPath: path, debugDescription: old.debugDescription, underlyingError: expectation)
    }
    do {
        return try body()
    } catch DecodingError.dataCorrupted(let known) where known.codingPath.count <= path.count {
        let note = known.codingPath.count == path.count ? known.debugDescription : nil
        throw DecodingError.typeMismatch(type, context(known, path, note: note))
    } catch DecodingError.typeMismatch(let found, let known)
        // Decoders report these for a type that has a container.
        where (found == [String: Any].self || found == [Any].self) && known.codingPath.count == path.count
    {
        throw DecodingError.typeMismatch(type, context(known, path))
    } catch DecodingError.typeMismatch(let found, let known) where isLeaf(type) && found != type {
        // Such as a date, which is a number in JSON.
        throw DecodingError.typeMismatch(found, context(known, path))
    } catch DecodingError.keyNotFound(let key, let known) where known.codingPath.count + 1 == path.count {
        throw DecodingError.keyNotFound(key, context(known, known.codingPath))
    } catch let error where isLeaf(type) && !(error is DecodingError) {
        // A number that does not fit is an error of another kind to some, which learns nothing of its place.
        let known = DecodingError.Context(codingPath: path, debugDescription: "\(error)")
        throw DecodingError.typeMismatch(type, context(known, path))
    }
}

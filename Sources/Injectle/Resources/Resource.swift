internal import Foundation

/// Files that values are registered from: read, merged and decoded.
struct Resource {
    let files: [URL]
    let format: Locator.ResourceFormat?
    /// The type of the decoded value.
    let type: Any.Type
    let location: SourceLocation

    init(_ files: [URL], _ format: Locator.ResourceFormat?, as type: Any.Type, _ location: SourceLocation) {
        (self.files, self.format, self.type, self.location) = (files, format, type, location)
    }

    /// A file, and its top-level object.
    private typealias Source = (file: URL, data: Data, tree: [String: Any])

    func decoded<Values: Decodable>(_: Values.Type) throws(InjectleError) -> Decoded<Values> {
        let format = try commonFormat()
        let sources = try files.map { (file) throws(InjectleError) in try source(file, format) }
        let merged = sources.dropFirst().reduce(sources[0].tree) { merging($1.tree, into: $0) }
        do {
            // The original text, where possible: writing a number again may change its last digits.
            let data = try sources.count == 1 ? sources[0].data : format.data(of: merged)
            return try format == .json
                ? JSONDecoder().decode(Decoded<Values>.self, from: data)
                : PropertyListDecoder().decode(Decoded<Values>.self, from: data)
        } catch {
            throw failure(error, sources, merged)
        }
    }

    /// What of a tree changes another one: in objects, each property for itself, with null to take one away.
    private func merging(_ changes: [String: Any], into tree: [String: Any]) -> [String: Any] {
        changes.reduce(into: tree) { tree, change in
            if change.value is NSNull {
                tree[change.key] = nil
            } else if let changes = change.value as? [String: Any] {
                tree[change.key] = merging(changes, into: tree[change.key] as? [String: Any] ?? [:])
            } else {
                tree[change.key] = change.value
            }
        }
    }

    // MARK: Reading

    private func commonFormat() throws(InjectleError) -> Locator.ResourceFormat {
        if let format { return format }
        let formats = try files.map { (file) throws(InjectleError) -> Locator.ResourceFormat in
            switch file.pathExtension.lowercased() {
            case "json": return .json
            case "plist": return .propertyList
            default:
                throw error(
                    "the name of \(file.lastPathComponent) does not tell its format",
                    [("file", file.path)],
                    fix: "pass `format: .json` or `format: .propertyList`"
                )
            }
        }
        let (first, common) = (files[0], formats[0])
        guard let other = zip(files, formats).first(where: { $1 != common })?.0 else { return common }
        throw error(
            "\(first.lastPathComponent) and \(other.lastPathComponent) are of different formats",
            [("file", first.path), ("and", other.path)],
            fix: "write both as \(common.name)"
        )
    }

    private func source(_ file: URL, _ format: Locator.ResourceFormat) throws(InjectleError) -> Source {
        let name = file.lastPathComponent
        guard file.isFileURL else {
            throw error(
                "it is not a file that the URL names",
                [("found", "a URL with the scheme \(file.scheme ?? "")")],
                fix: "load it first, and pass `URL(fileURLWithPath: …)`"
            )
        }
        let data: Data
        do {
            data = try Data(contentsOf: file)
        } catch {
            let isMissing = (error as? CocoaError)?.code == .fileReadNoSuchFile
            throw self.error(
                isMissing ? "there is no \(name)" : "\(name) cannot be opened",
                [("file", file.path)],
                fix: "put a readable file there, or pass the URL of an existing one",
                underlying: error
            )
        }
        let root: Any
        do {
            root = try format.tree(of: data)
        } catch {
            let words = (error as NSError).userInfo["NSDebugDescription"] as? String ?? error.localizedDescription
            let place = place(of: error as NSError, words, in: data)
            throw self.error(
                "\(name) is not well-formed \(format == .json ? "JSON" : "as a property list")",
                [("file", file.path)] + (place.map { [("at", $0)] } ?? []) + [("found", words)],
                fix: "correct the syntax \(place.map { "in \($0)" } ?? "of the file")",
                underlying: error
            )
        }
        guard let tree = root as? [String: Any] else {
            throw error(
                "the top level of \(name) is \(describe(root).kind), and has no properties",
                [("file", file.path), ("expected", "an object"), ("found", describe(root).kind)],
                fix: "put it into an object: { \"name\": … }"
            )
        }
        return (file, data, tree)
    }

    /// Where in a file a syntax error is, if Foundation knows, and does not say it in lines itself.
    private func place(of error: NSError, _ words: String, in data: Data) -> String? {
        if words.contains(" line ") { return nil }
        let offset = words.firstMatch(of: /character (\d+)/).flatMap { Int($0.1) }
        guard let offset = error.userInfo["NSJSONSerializationErrorIndex"] as? Int ?? offset else { return nil }
        let before = data.prefix(offset)
        let newline = UInt8(ascii: "\n")
        let start = before.lastIndex(of: newline).map { $0 + 1 } ?? before.startIndex
        let column = String(decoding: before[start...], as: UTF8.self).count + 1
        return "line \(before.count { $0 == newline } + 1), column \(column)"
    }

    // MARK: Errors

    private func error(
        _ reason: String,
        _ facts: [(name: String, text: String)],
        fix: String,
        underlying: (any Error)? = nil
    ) -> InjectleError {
        InjectleError(InjectleError.unreadableResource, Locator.Identity(type), underlying: underlying) { report in
            report.add("requested by", "register in \(location)")
            for fact in facts { report.add(fact.name, fact.text) }
            report.fix(fix)
            return "\(spelled(type)) cannot be read: \(reason)."
        }
    }

    /// The error of a decoder, with the files that it concerns.
    private func failure(_ cause: any Error, _ sources: [Source], _ merged: [String: Any]) -> InjectleError {
        let names = sources.map(\.file.lastPathComponent).joined(separator: " and ")

        /// A required property does not exist.
        func missing(_ path: [any CodingKey], _ context: DecodingError.Context) -> InjectleError {
            let place = written(path)
            var facts = files(sources) + [("at", place)]
            if let expectation = context.underlyingError as? TracingDecoder.Expectation {
                facts.append(("expected", spelled(expectation.type)))
            }
            // In the first file it is a value like others.
            let remover = sources.dropFirst().last { value(at: path, in: $0.tree) is NSNull }?.file.lastPathComponent
            facts.append(("found", remover.map { "null in \($0), which takes it away" } ?? "nothing"))
            let last = sources.last?.file.lastPathComponent ?? names
            let fix = "add \(place) to \(last), or make the property an optional one"
            return error("\(place) is missing in \(names)", facts, fix: fix, underlying: cause)
        }

        /// A value does not have the required type.
        func mismatch(_ context: DecodingError.Context, expected type: Any.Type?) -> InjectleError {
            let path = context.codingPath
            let place = path.isEmpty ? "the top level" : written(path)
            let source = sources.last { value(at: path, in: $0.tree) != nil }
            let found =
                value(at: path, in: merged).map(describe) ?? (kind: "something else", declaration: "the value there")
            let expectation = context.underlyingError as? TracingDecoder.Expectation
            let note = type == nil ? context.debugDescription : expectation?.note
            var facts = files(source.map { [$0] } ?? sources) + [("at", place)]
            if let type {
                // A date, for one, is a number in JSON.
                let target = expectation.map(\.type).flatMap {
                    $0 == type ? nil : ", from which \(spelled($0)) is created"
                }
                facts.append(("expected", spelled(type) + (target ?? "")))
            }
            facts.append(("found", found.kind))
            if let note { facts.append(("note", note)) }
            let typed = type.map { "of the type \(spelled($0)) there, or declare it as \(found.declaration)" }
            let fix = "write a value \(note == nil ? typed ?? "" : "there that is accepted")"
            let reason = type.map { "and not \(spelled($0))" } ?? "which is refused"
            let name = source?.file.lastPathComponent ?? names
            return error("\(place) is \(found.kind) in \(name), \(reason)", facts, fix: fix, underlying: cause)
        }

        switch cause {
        case let error as InjectleError:
            return error
        case DecodingError.keyNotFound(let key, let context):
            return missing(context.codingPath + [key], context)
        case DecodingError.typeMismatch(let type, let context), DecodingError.valueNotFound(let type, let context):
            return mismatch(context, expected: type)
        case DecodingError.dataCorrupted(let context):
            return mismatch(context, expected: nil)
        default:
            let fix = "change what `init(from:)` of \(spelled(type)) refuses"
            return error("\(cause)", files(sources), fix: fix, underlying: cause)
        }
    }

    private func files(_ sources: [Source]) -> [(name: String, text: String)] {
        sources.enumerated().map { index, source in (index == 0 ? "file" : "and", source.file.path) }
    }

    /// The value at a path, null included.
    private func value(at path: [any CodingKey], in tree: [String: Any]) -> Any? {
        path.reduce(tree) { (value: Any?, key) in
            if let object = value as? [String: Any] { return object[key.stringValue] }
            guard let list = value as? [Any], let index = key.intValue, list.indices.contains(index) else { return nil }
            return list[index]
        }
    }

    /// A path as one writes it: `database.hosts[2].port`.
    private func written(_ path: [any CodingKey]) -> String {
        path.reduce("") { text, key in
            if let index = key.intValue { return "\(text)[\(index)]" }
            let name = key.stringValue
            if name.isEmpty || name.contains(where: { ".[] ".contains($0) }) { return "\(text)[\"\(name)\"]" }
            return text.isEmpty ? name : "\(text).\(name)"
        }
    }

    /// A description of a value, which contains the value only if it is a number, and the declaration of a property
    /// that accepts it.
    private func describe(_ value: Any) -> (kind: String, declaration: String) {
        switch value {
        case is NSNull: ("null", "an optional")
        case is String: ("a string", "String")
        case is [Any]: ("an array", "an array")
        case is [String: Any]: ("an object", "a type with properties")
        case is Data: ("data", "Data")
        case is Date: ("a date", "Date")
        // A `Bool` is a number to Foundation.
        case let number as NSNumber where unsafe String(cString: number.objCType) != "c":
            ("the number \(number)", Int(exactly: number) == nil ? "Double" : "Int")
        default: ("a Bool", "Bool")
        }
    }
}

extension Locator.ResourceFormat {
    fileprivate func tree(of data: Data) throws -> Any {
        try unsafe self == .json
            ? JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
            : PropertyListSerialization.propertyList(from: data, format: nil)
    }

    fileprivate func data(of tree: [String: Any]) throws -> Data {
        try self == .json
            ? JSONSerialization.data(withJSONObject: tree)
            : PropertyListSerialization.data(fromPropertyList: tree, format: .binary, options: 0)
    }
}

import Injectle
import InjectleTestSupport

/// Requests with random arguments, for initializers with random parameters.
final class ArgumentScene: Sendable {
    private struct Named: Sendable {
        let text: String
        init(name: String) { text = name }
        init(name: String, number: Int) { text = "\(name) \(number)" }
        init(flag: Bool) { text = "\(flag)" }
    }

    private let locator = Locator("arguments")
    private let violations: Violations

    init(_ violations: Violations) {
        self.violations = violations
        locator.register(.eager("registered"))
        locator.register(.eager(0))
        locator.register(.eager(false))
        locator.register(.initializer(Named.init(name:)).lifetime(.volatile), key: "S")
        locator.register(.initializer(Named.init(name:number:)).lifetime(.volatile), key: "SI")
        locator.register(.initializer(Named.init(flag:)).lifetime(.volatile), key: "B")
    }

    func perform(_ random: inout SplitMix64) {
        let (keys, given) = (["S", "SI", "B"], ["", "S", "I", "O", "SI", "SS", "SO"])
        let key = keys[Int.random(in: 0..<keys.count, using: &random)]
        let arguments = given[Int.random(in: 0..<given.count, using: &random)]
        let isTaken = arguments.allSatisfy(key.contains) && Set(arguments).count == arguments.count
        // An optional may be taken as its value, but is not dropped.
        let isOptional = arguments == "O" && key.contains("S")
        let name = "\(arguments) for \(key)"
        do {
            let text = try resolve(key, arguments).text
            violations.require(isTaken || isOptional, "nothing takes the arguments \(name), which gives \(text)")
            let hasName = text.hasPrefix("Ada") == (arguments.contains("S") || isOptional)
            violations.require(hasName || key == "B", "the arguments \(name) give \(text)")
        } catch {
            violations.require(!isTaken && error == .wrongArguments, "the arguments \(name): \(error)")
        }
    }

    private func resolve(_ key: String, _ arguments: String) throws(InjectleError) -> Named {
        let (name, number, optional) = ("Ada", 7, Optional("Ada"))
        return switch arguments {
        case "S": try locator.resolve(Named.self, key: key, arguments: name)
        case "I": try locator.resolve(Named.self, key: key, arguments: number)
        case "O": try locator.resolve(Named.self, key: key, arguments: optional)
        case "SI": try locator.resolve(Named.self, key: key, arguments: name, number)
        case "SS": try locator.resolve(Named.self, key: key, arguments: name, name)
        case "SO": try locator.resolve(Named.self, key: key, arguments: name, optional)
        default: try locator.resolve(Named.self, key: key)
        }
    }
}

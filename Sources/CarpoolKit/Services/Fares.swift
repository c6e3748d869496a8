internal import Foundation

/// What driving costs, as a file says it. All amounts are in cents.
struct Fares: Decodable, Sendable {
    let day: DistanceFares
    let night: DistanceFares
    let pricePerKilometre: Prices
    /// A town need not have one: without it, or with null, there is no such service.
    let discount: FullCarDiscount?

    struct Prices: Decodable, Sendable {
        let compact, van: Money
    }

    /// The fares that come with the program.
    static var file: URL {
        // The package declares the resource: without it, the program was not built.
        Bundle.module.url(forResource: "fares", withExtension: "json")!
    }
}

extension Fares {
    /// Reads the fares of a JSON file. An error names the file.
    init(file: URL) throws {
        do {
            self = try JSONDecoder().decode(Fares.self, from: Data(contentsOf: file))
        } catch {
            throw UnreadableFares(file: file, cause: error)
        }
    }
}

/// A file of fares that is missing or does not fit.
struct UnreadableFares: Error, CustomStringConvertible {
    let file: URL
    let cause: any Error

    var description: String { "\(file.path) has no fares: \(cause)" }
}

extension Money: Decodable {
    /// The largest amount that is read, a hundred thousand euros, so that no sum is too large.
    private static let most = 10_000_000

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        cents = try container.decode(Int.self)
        guard 0...Self.most ~= cents else {
            let text = "an amount must be from 0 to \(Self.most) cents"
            throw DecodingError.dataCorruptedError(in: container, debugDescription: text)
        }
    }
}

extension FullCarDiscount: Decodable {
    private enum CodingKeys: CodingKey {
        case percent
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        percent = try container.decode(Int.self, forKey: .percent)
        guard 0...100 ~= percent else {
            let text = "a discount must be from 0 to 100 percent"
            throw DecodingError.dataCorruptedError(forKey: .percent, in: container, debugDescription: text)
        }
    }
}

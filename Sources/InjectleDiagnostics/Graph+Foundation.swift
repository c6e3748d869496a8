// JSON needs Foundation.
internal import Foundation
public import Injectle

extension Locator.Graph {
    /// The graph as JSON, as an encoder writes this type.
    ///
    /// - Complexity: O(*n*) in the number of services, dependencies and findings.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // All values are texts and numbers, so this does not fail.
        let data = try? encoder.encode(self)
        // An HTML page can contain the text, as no element ends in it.
        return String(decoding: data ?? Data(), as: UTF8.self).replacing("<", with: "\\u003C")
    }
}

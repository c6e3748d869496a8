/// The id of a request, as `request` in the lines of a ``RequestLog``, and as `hb.request.id` in Hummingbird's own.
package struct RequestID: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

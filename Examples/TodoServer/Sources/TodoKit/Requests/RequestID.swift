/// The id of a request in the server's log.
package struct RequestID: Sendable, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}

import Logging

/// The log of a request: each line has the request's id and its user. Services have it from their initializer, so their
/// functions pass no logger on.
package struct RequestLog: Sendable {
    private let logger: Logger

    package init(logger: Logger, id: RequestID, user: User) {
        var logger = logger
        logger[metadataKey: "request"] = "\(id)"
        logger[metadataKey: "user"] = "\(user.name)"
        self.logger = logger
    }

    func info(_ message: Logger.Message) { logger.info(message) }
}

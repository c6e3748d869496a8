import Foundation
import Hummingbird
import Injectle
import Logging
import Synchronization
import Testing

@testable import TodoKit

/// SIGTERM at each moment of a process: it ends by itself, with its exit code, once its services are disposed of.
@Suite struct SignalTests {
    private enum Moment { case start, launch, request, endlessRequest, disposal }

    struct Probe: Sendable {}
    struct Failure: Error {}

    private static func signal() { kill(getpid(), SIGTERM) }

    /// Runs a server that gets SIGTERM at a moment, until it has ended.
    private static func run(_ moment: Moment, _ locator: Locator = Locator("server")) async throws {
        let folder = try TemporaryFolder()
        defer { try? folder.remove() }
        let gracePeriod = moment == .endlessRequest ? Duration.milliseconds(10) : .seconds(5)
        let settings = Settings(databasePath: folder.database, gracePeriod: gracePeriod)
        try locator.apply(AppModule(settings: settings, logger: Logger(label: "server")))
        let disposals = Mutex(0)
        locator.register(
            .lazy(.anywhere) {
                if moment == .start { signal() }
                return Probe()
            }
            .atStart()
            .onDispose { _ in
                if moment == .disposal { signal() }
                disposals.withLock { $0 += 1 }
            }
        )
        var service = TodoService(locator, at: .hostname("127.0.0.1", port: 0))
        service.addRoutes = { router in
            router.post("signal") { _, _ in
                signal()
                if moment == .endlessRequest { try await Task.sleep(for: .seconds(3_600)) }
                return HTTPResponse.Status.ok
            }
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        service.onRunning = { port.yield($0) }
        async let status: HTTPResponse.Status? = {
            for await port in ports {
                if moment == .endlessRequest {
                    let client = LiveClient(port: port)
                    // The server answers by an error, or closes the connection.
                    let status = try? await client.post("/signal")
                    try await client.close()
                    if status == .ok { throw Failure() }
                    break
                }
                guard moment == .request else {
                    // The end of the server begins the disposal.
                    if moment != .start { signal() }
                    break
                }
                let client = LiveClient(port: port)
                let status = try await client.post("/signal")
                try await client.close()
                return status
            }
            return nil
        }()
        try await service.runUntilSignal()
        port.finish()
        guard try await status == (moment == .request ? .ok : nil), disposals.withLock({ $0 }) == 1 else {
            throw Failure()
        }
    }

    @Test func `A signal during the start ends the process`() async {
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { try await SignalTests.run(.start) }
    }

    @Test func `A signal after the launch ends the process`() async {
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { try await SignalTests.run(.launch) }
    }

    @Test func `A signal during a request ends the process`() async {
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { try await SignalTests.run(.request) }
    }

    @Test func `A signal during a request that does not end cancels it`() async {
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { try await SignalTests.run(.endlessRequest) }
    }

    @Test func `A signal during the disposal ends the process`() async {
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { try await SignalTests.run(.disposal) }
    }

    @Test func `A hook that throws is in the exit code`() async {
        await #expect(processExitsWith: .exitCode(EXIT_FAILURE)) {
            let locator = Locator("server")
            locator.register(.eager("").onDispose { _ in throw Failure() })
            do {
                try await SignalTests.run(.launch, locator)
            } catch InjectleError.disposalFailed {
                exit(EXIT_FAILURE)
            }
        }
    }
}

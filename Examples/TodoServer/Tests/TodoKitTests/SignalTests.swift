import Foundation
import Hummingbird
import Injectle
import Logging
import Synchronization
import Testing

@testable import TodoKit

/// SIGTERM at each moment of a process: it ends by itself, with its exit code, once its services are disposed of.
@Suite struct SignalTests {
    enum Moment: String, CaseIterable, Codable {
        case start, launch, request, disposal
    }

    struct Probe: Sendable {}
    struct Failure: Error {}

    private static func signal() { kill(getpid(), SIGTERM) }

    /// Runs a server that gets SIGTERM at a moment, until it has ended.
    private static func run(_ moment: Moment, _ locator: Locator, databasePath: String) async throws {
        try locator.apply(AppModule(settings: Settings(databasePath: databasePath), logger: Logger(label: "server")))
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
                return HTTPResponse.Status.ok
            }
        }
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        service.onRunning = { port.yield($0) }
        async let status: HTTPResponse.Status? = {
            for await port in ports {
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

    @Test(arguments: Moment.allCases)
    func `The process ends by itself`(moment: Moment) async throws {
        let folder = try TemporaryFolder()
        let path = folder.database
        await #expect(processExitsWith: .exitCode(EXIT_SUCCESS)) { [moment, path = path as String] in
            try await Self.run(moment, Locator("server"), databasePath: path)
        }
        try folder.remove()
    }

    @Test func `A hook that throws is in the exit code`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.database
        await #expect(processExitsWith: .exitCode(EXIT_FAILURE)) { [path = path as String] in
            let locator = Locator("server")
            locator.register(.eager("").onDispose { _ in throw Failure() })
            do {
                try await Self.run(.launch, locator, databasePath: path)
            } catch InjectleError.disposalFailed {
                exit(EXIT_FAILURE)
            }
        }
        try folder.remove()
    }
}

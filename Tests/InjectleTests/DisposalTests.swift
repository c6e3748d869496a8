import Injectle
import InjectleTestSupport
import Testing

private final class Resource: @unchecked Sendable {
    let name: String
    private let log: Log
    init(_ name: String, _ log: Log) { self.name = name; self.log = log; log.add("+" + name) }
    func close() { log.add("-" + name) }
}
private final class Log: @unchecked Sendable {
    private(set) var lines: [String] = []
    func add(_ line: String) { lines.append(line) }
    func take() -> [String] { defer { lines = [] }; return lines }
}
private struct Oops: Error {}

struct DisposalTests {
    private let log = Log()
    private let locator = Locator()

    @Test func closeDisposesLastMadeFirst() async throws {
        let log = log
        let child = locator.child()
        locator.register(.lazy { Resource("a", log) }.onDispose { $0.close() }, for: "a")
        locator.register(
            .lifetime(.perLocator) { Resource("p", log) }.onDispose {
                await Task.yield(); $0.close()
            },
            for: "p"
        )
        child.register(
            .lazy { locator in
                _ = try locator.resolve(Resource.self, key: "a"); return Resource("c", log)
            }.onDispose {
                $0.close(); throw Oops()
            },
            for: "c"
        )
        locator.register(.eager(Resource("e", log)).onDispose { $0.close() }, for: "e")
        _ = try child.resolve(Resource.self, key: "p")
        _ = try child.resolve(Resource.self, key: "c")
        _ = try locator.resolve(Resource.self, key: "p")
        let errors = await locator.close()
        #expect(log.take() == ["+e", "+p", "+a", "+c", "+p", "-p", "-c", "-a", "-p", "-e"])
        #expect(errors.map(\.code) == [.init(InjectleError.disposalFailed)])
        print(errors)
        do { _ = try child.resolve(Resource.self, key: "p") } catch { print(error) }
        #expect(await locator.close() == errors)
    }

    @Test func replaced() async throws {
        let log = log
        locator.register(.lazy { Resource("a", log) }.onDispose { $0.close() })
        _ = try locator.resolve(Resource.self)
        locator.register(.lazy { Resource("b", log) }.onDispose { $0.close() })
        #expect(log.take() == ["+a", "-a"])
        _ = try locator.resolve(Resource.self)
        locator.unregister(Resource.self, key: nil)
        #expect(log.take() == ["+b", "-b"])
        locator.register(
            .lazy { Resource("c", log) }.onDispose {
                await Task.yield(); $0.close()
            }
        )
        _ = try locator.resolve(Resource.self)
        await locator.unregisterAsync(Resource.self)
        #expect(log.take() == ["+c", "-c"])
        do {
            let other = Locator()
            other.register(.lazy { Resource("d", log) }.onDispose { $0.close() })
            other.register(.lifetime(.graph) { Resource("g", log) }.onDispose { $0.close() }, for: "g")
            other.register(.volatile { locator in try locator.resolve(Resource.self, key: "g").name })
            _ = try other.resolve(Resource.self)
            _ = try other.resolve(String.self)
        }
        #expect(log.take() == ["+d", "+g", "-g", "-d"])
    }
}
extension InjectleError.Code { init(_ code: Self) { self = code } }

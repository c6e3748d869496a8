import Injectle
import InjectleTestSupport
import Testing

/// Instances that are dropped together are disposed of in reverse order of creation.
@Suite struct DisposalOrderTests {
    private let locator = Locator("order")
    private let callLog = CallLog()

    private func service(_ name: String, _ lifetime: Locator.Lifetime, needing dependency: String? = nil)
        -> Locator.Registration<LoggedService>
    {
        .lazy(.anywhere) { [callLog] locator in
            if let dependency { _ = try locator.resolve(LoggedService.self, key: dependency) }
            return LoggedService(name, callLog)
        }.lifetime(lifetime).onDispose { $0.close() }
    }

    // MARK: Lists

    @Test func `Resetting a list disposes of its services in reverse order`() throws {
        for name in ["a", "b", "c"] {
            locator.register(service(name, .lazy).contributing(to: LoggedService.self))
        }
        _ = try locator.resolveAll(LoggedService.self)
        try locator.resetInstance(of: LoggedService.self)
        #expect(callLog.drain() == ["+a", "+b", "+c", "-c", "-b", "-a"])
    }

    // MARK: Graph services

    @Test(arguments: [["a", "b", "c"], ["b", "a", "c"], ["c", "b", "a"]])
    func `Graph services of two locators are disposed of in reverse order`(_ names: [String]) throws {
        let (locator, child) = (locator, locator.child("child"))
        for name in ["a", "c"] { locator.register(service(name, .graph), key: name) }
        child.register(service("b", .graph), key: "b")
        child.register(
            .volatile(.anywhere) {
                for name in names {
                    _ = try (name == "b" ? child : locator).resolve(LoggedService.self, key: name)
                }
                return 1
            }
        )
        _ = try child.resolve(Int.self)
        #expect(callLog.drain() == names.map { "+\($0)" } + names.reversed().map { "-\($0)" })
    }

    @Test func `Graph services of an async resolve end before it returns`() async throws {
        locator.register(
            .lazy(.anywhere) { [callLog] () async in LoggedService("a", callLog) }.lifetime(.graph)
                .onDispose { $0.close() }
        )
        locator.register(
            .volatile(.anywhere) { locator in try await locator.resolveAsync(LoggedService.self).name }
        )
        for _ in 0..<1000 {
            _ = try await locator.resolveAsync(String.self)
            #expect(callLog.drain() == ["+a", "-a"])
        }
    }
}

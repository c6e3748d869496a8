import Injectle
import InjectleTestSupport
import Testing

/// Replacing a registration while children have instances of it.
@Suite struct ReplacedRegistrationTests {
    private let locator = Locator("server")
    private let callLog = CallLog()

    private static let lifetimes: [Locator.Lifetime] = [.perLocator, .perLocator(named: "request")]

    private func service(_ name: String, _ lifetime: Locator.Lifetime) -> Locator.Registration<LoggedService> {
        .lazy(.anywhere) { [callLog] in LoggedService(name, callLog) }.lifetime(lifetime).onDispose { $0.close() }
    }

    enum Ending: CaseIterable { case released, reset, close, parentClose }

    @Test(arguments: lifetimes, Ending.allCases)
    func `A child disposes of both instances when it ends`(_ lifetime: Locator.Lifetime, by ending: Ending)
        async throws
    {
        locator.register(service("old", lifetime))
        do {
            let request = locator.child("request")
            let old = try request.resolve(LoggedService.self)
            locator.register(service("new", lifetime))
            #expect(callLog.drain() == ["+old"])
            for _ in 0..<3 { #expect(try request.resolve(LoggedService.self).name == "new") }
            #expect(old.name == "old")
            switch ending {
            case .released: break
            case .reset: request.reset()
            case .close: await request.close()
            case .parentClose: await locator.close()
            }
        }
        #expect(callLog.drain() == ["+new", "-new", "-old"])
    }

    @Test func `A property of a child reads the new registration`() throws {
        locator.register(service("old", .perLocator))
        let request = locator.child("request")
        let property = Locator.$shared.withValue(request) { Inject<LoggedService>() }
        for _ in 0..<3 { #expect(property().name == "old") }
        locator.register(service("new", .perLocator))
        for _ in 0..<3 { #expect(property().name == "new") }
        #expect(callLog.drain() == ["+old", "+new"])
    }

    @Test func `The registering locator disposes of its own instance at once`() throws {
        locator.register(service("old", .perLocator))
        _ = try locator.resolve(LoggedService.self)
        locator.register(service("new", .perLocator))
        #expect(callLog.drain() == ["+old", "-old"])
    }

    @Test func `Removing the new registration leaves the old instance`() throws {
        locator.register(service("old", .perLocator))
        let request = locator.child("request")
        _ = try request.resolve(LoggedService.self)
        locator.register(service("new", .perLocator))
        _ = try request.resolve(LoggedService.self)
        locator.unregisterService(LoggedService.self)
        #expect(callLog.drain() == ["+old", "+new", "-new"])
        request.reset()
        #expect(callLog.drain() == ["-old"])
    }

    @Test func `A child disposes of a decorated instance when it ends`() throws {
        locator.register(service("old", .perLocator))
        locator.decorate(LoggedService.self) { $0 }
        let request = locator.child("request")
        _ = try request.resolve(LoggedService.self)
        locator.register(service("new", .perLocator))
        #expect(try request.resolve(LoggedService.self).name == "new")
        #expect(callLog.drain() == ["+old", "+new"])
        request.reset()
        #expect(callLog.drain() == ["-new", "-old"])
    }

    @Test func `A module that replaces it leaves the instance of a child`() throws {
        locator.register(service("old", .perLocator))
        let request = locator.child("request")
        _ = try request.resolve(LoggedService.self)
        try locator.apply(ClosureModule { $0.register(service("new", .perLocator)) })
        #expect(try request.resolve(LoggedService.self).name == "new")
        #expect(callLog.drain() == ["+old", "+new"])
        request.reset()
        #expect(callLog.drain() == ["-new", "-old"])
    }

    @Test func `An instance that is created meanwhile is disposed of with the child`() async throws {
        let (begun, goOn) = (Signal(), Signal())
        locator.register(
            .lazy(.anywhere) { [callLog] in
                begun.set()
                goOn.wait()
                return LoggedService("old", callLog)
            }.lifetime(.perLocator).onDispose { $0.close() }
        )
        let request = locator.child("request")
        async let name = onAnotherThread { (try? request.resolve(LoggedService.self))?.name }
        await begun.reached()
        locator.register(service("new", .perLocator))
        goOn.set()
        #expect(await name == "old")
        #expect(callLog.drain() == ["+old"])
        request.reset()
        #expect(callLog.drain() == ["-old"])
    }
}

import Injectle
import InjectleTesting
import Testing

private let program = Locator("program") { locator in
    locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
}

private let isProgramRegistered: Bool = {
    Locator.default.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
    return true
}()

private nonisolated(unsafe) var kept: [Cache] = []

struct StrictnessTests {
    init() { #expect(isProgramRegistered) }

    @Test(.locator) func aReadOfTheDefaultLocator() throws {
        #expect(try Locator.default.resolve((any APIClient).self).host == "live")
    }

    @Test(.locator.live(allowing: (any APIClient).self)) func anAllowedReadOfTheDefaultLocator() throws {
        #expect(try Locator.default.resolve((any APIClient).self).host == "live")
    }

    @Test(.locator(parent: program).live()) func anInheritedService() {
        #expect(Model().host == "live")
    }

    @Test(.locator(parent: program).live(allowing: (any APIClient).self)) func anAllowedInheritedService() {
        #expect(Model().host == "live")
    }

    @Test(.locator(copying: program).live()) func aCopiedService() {
        #expect(Model().host == "live")
    }

    @Test(.locator(copying: program).live()) func aCopiedServiceInADetachedTask() async {
        let model = Model()
        #expect(await Task.detached { model.host }.value == "live")
    }

    @Test(.locator(copying: program).live(), .override((any APIClient).self) { MockAPIClient() })
    func anOverriddenCopiedService() {
        #expect(Model().host == "mock")
    }

    @Test(.locator(parent: program)) func anInheritedServiceOfATestThatIsNotStrict() {
        #expect(Model().host == "live")
    }

    @Test(.override((any APIClient).self) { MockAPIClient() }.mustBeUsed()) func anUnusedOverride() {}

    @Test(.override((any APIClient).self) { MockAPIClient() }.mustBeUsed()) func aUsedOverride() {
        #expect(Model().host == "mock")
    }

    @Test(
        .locator {
            $0.register(.lazy { Cache() })
            $0.register(.initializer(Store.init))
        }
        .reportingSurvivors()
    )
    func aSurvivor() throws {
        kept.append(try Locator.shared.resolve(Store.self).cache)
    }

    @Test(.locator { $0.register(.lazy { Cache() }) }.reportingSurvivors()) func noSurvivor() throws {
        _ = try Locator.shared.resolve(Cache.self)
    }

    @Test(.locator { $0.register(.unimplemented((any APIClient).self) { MockAPIClient() }) })
    func anUnimplementedServiceWithAPlaceholder() {
        #expect(Model().host == "mock")
    }

    @Test(.locator { $0.register(.unimplemented((any APIClient).self) { MockAPIClient() }) })
    func anUnimplementedServiceInADetachedTask() async {
        let model = Model()
        #expect(await Task.detached { model.host }.value == "mock")
    }

    @Test(.locator { $0.register(.unimplemented((any APIClient).self)) })
    func aResolveOfAnUnimplementedService() {
        #expect(throws: InjectleError.factoryFailed) { try Locator.shared.resolve((any APIClient).self) }
    }

    @Test(.locator.reportingErrors()) func anErrorThatTheProgramAnswers() async {
        let status = (try? Locator.shared.resolve((any APIClient).self)) == nil ? 500 : 201
        #expect(status == 500)
    }

    @Test(.locator { $0.register(.initializer(Store.init)) }.reportingErrors())
    func errorsInAChildAndInADetachedTask() async throws {
        await Locator.shared.withChild("request") { _ = try? await $0.resolveAsync(Store.self) }
        let locator = Locator.shared
        await Task.detached { _ = try? locator.resolve(Store.self) }.value
        // Neither is an error.
        _ = try locator.resolveOptional((any APIClient).self)
        #expect(Optject<any APIClient>()() == nil)
    }

    @Test(.locator { $0.register(.lazy { Cache() }.onDispose { _ in throw Failure() }) })
    func aDisposerThatThrows() throws {
        _ = try Locator.shared.resolve(Cache.self)
    }

    @Test(.locator { _ in throw Failure() }) func aClosureThatThrows() {
        Issue.record("not reached")
    }
}

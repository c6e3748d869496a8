import Injectle
import InjectleTesting
import Testing

/// The same tests with a check, which finds the forgotten mock before they run.
@Suite(.locator, .checking(Model.self)) struct CheckedTests {
    @Test func aNonisolatedTest() {
        _ = Model().host
    }

    @MainActor @Test(.checking(MainModel.self)) func aTestOfTheMainActor() {
        _ = MainModel().host
    }

    @Test func aChildTask() async {
        async let host = Model().host
        _ = await host
    }

    @Test func aDetachedTask() async {
        let model = Model()
        _ = await Task.detached { model.host }.value
    }

    @Test(.override((any APIClient).self) { MockAPIClient() }) func aMock() {
        #expect(Model().host == "mock")
    }

    @Test(.override((any APIClient).self) { MockAPIClient() }, .checking(Page.self)) func aMockThatIsNotEnough() {
        _ = Page().title
    }

    @Test(
        .override((any APIClient).self) { MockAPIClient() },
        .locator { $0.register(.initializer(Store.init)) }
    )
    func aFaultThatNoRootReaches() {
        #expect(Model().host == "mock")
    }

    @Test(
        .override((any APIClient).self) { MockAPIClient() },
        .locator { $0.register(.initializer(Store.init)) },
        .checking()
    )
    func aFaultOfARegistration() {}

    @Test(
        .override((any APIClient).self) { MockAPIClient() },
        .override(Model.self) { Model() },
        .override((any WallClock).self, key: WallClockKey.page) { FixedClock() },
        .checking(Page.self)
    )
    func aMockWithTheKeyOfAProperty() {
        #expect(Page().title == "mock")
    }

    @Test(
        .override((any APIClient).self) { MockAPIClient() },
        .override(Model.self) { Model() },
        .override((any WallClock).self) { FixedClock() },
        .checking { Page() }
    )
    func anObjectShowsTheKeyOfItsProperty() {}

    @MainActor @Test(.override((any APIClient).self) { MockAPIClient() }, .checking { MainModel() })
    func anObjectOfTheMainActor() {
        #expect(MainModel().host == "mock")
    }
}

import Injectle
import InjectleDiagnostics
import InjectleTesting
import Testing

@testable import TodoKit

@Suite struct ValidationTests {
    @Test(.server) func `The registrations of the server and of its requests are correct`() throws {
        try Locator.shared.check(as: requestScope, given: User.self, RequestID.self)
    }

    struct Mailer: Sendable {}

    struct Reminder: Sendable {
        let store: any TodoStore
        let mailer: Mailer
    }

    /// It forgets the mailer.
    struct ReminderModule: Locator.Module {
        func register(in locator: Locator) {
            locator.register(.initializer(Reminder.init).lifetime(.perLocator))
        }
    }

    @Test func `The launch fails if a request would miss a service`() async throws {
        let (locator, log) = (Locator("server"), RecordedLog())
        try locator.apply(AppModule(settings: Settings(databasePath: "/none"), logger: log.logger), ReminderModule())
        let error = await #expect(throws: Locator.CheckFailure.self) {
            try await TodoService(locator, at: .hostname(port: 0)).runUntilSignal()
        }
        #expect(error?.findings.map(\.kind) == [.missing])
        #expect(error?.findings.first?.message.contains("Mailer") == true)
        // It failed before it created anything.
        #expect(log.lines.isEmpty)
    }
}

import Injectle
import InjectleTestSupport
import Testing

private struct User: Sendable { let name: String }
private final class Session: Sendable {
    let user = Inject<User>()
}
private final class Log {
    var lines: [String] = []
}
private struct Failure: Error, Equatable {}

@Suite struct WithChildTests {
    private let locator = Locator("server")
    private let calls = CallLog()

    private func registerAda(in child: Locator) {
        child.register(.eager(User(name: "Ada")).onDispose { [calls] user in calls.record("-\(user.name)") })
    }

    @Test func `The child has its registrations and those of its parent`() async throws {
        locator.register(.eager(7))
        let text = try await locator.withChild("request", registerAda) { child in
            await Task.yield()
            return "\(try child.resolve(User.self).name) \(try child.resolve(Int.self))"
        }
        #expect(text == "Ada 7")
        #expect(!locator.isRegistered(User.self))
    }

    @Test func `The child is the override of the task`() async {
        let names = await locator.withChild("request", registerAda) { _ in
            async let other = Session().user().name
            return [Session().user().name, await other]
        }
        #expect(names == ["Ada", "Ada"])
    }

    @Test func `The child is closed when the closure returns`() async throws {
        let child = try await locator.withChild("request", registerAda) { child in
            _ = try child.resolve(User.self)
            #expect(calls.drain() == [])
            return child
        }
        #expect(calls.drain() == ["-Ada"])
        #expect(thrown { try child.resolve(User.self) } == .locatorClosed)
    }

    @Test func `The child is closed when the closure throws a typed error`() async {
        do throws(Failure) {
            try await locator.withChild("request", { child throws(Failure) in registerAda(in: child) }) {
                _ throws(Failure) in
                throw Failure()
            }
            Issue.record("It threw no error.")
        } catch {
            #expect(error == Failure())
        }
        #expect(calls.drain() == ["-Ada"])
    }

    @Test func `The child is closed when its registrations fail`() async {
        await #expect(throws: Failure.self) {
            try await locator.withChild("request") { child in
                registerAda(in: child)
                throw Failure()
            } _: { _ in
                Issue.record("The closure ran.")
            }
        }
        #expect(calls.drain() == ["-Ada"])
    }

    @Test func `A child without registrations of its own needs no closure for them`() async throws {
        let locator = Locator("server") { $0.register(.eager(1)) }
        let sum = await locator.withChild("request") { child in
            await Task.yield()
            return (try? child.resolve(Int.self)) ?? 0
        }
        #expect(sum == 1)
        await #expect(throws: InjectleError.self) {
            try await locator.withChild("request") { child in try child.resolve(User.self) }
        }
    }

    @Test func `A synchronous closure needs no registrations of the child`() {
        let locator = Locator("server") { $0.register(.eager(1)) }
        #expect(locator.withChild { child in child.isRegistered(Int.self) })
        #expect(throws: InjectleError.self) { try locator.withChild { try $0.resolve(User.self) } }
    }

    @Test func `The child is closed in a cancelled task`() async {
        let task = Task {
            await locator.withChild("request", registerAda) { _ in
                while !Task.isCancelled { await Task.yield() }
            }
        }
        task.cancel()
        await task.value
        #expect(calls.drain() == ["-Ada"])
    }

    @Test func `Errors of hooks go where the caller says`() async {
        var reported: [InjectleError] = []
        await locator.withChild {
            $0.register(.eager(User(name: "Ada")).onDispose { (_: User) in throw Failure() })
        } onDisposalErrors: { errors in
            reported = errors
        } _: { _ in
        }
        #expect(reported == [.disposalFailed])
    }

    @Test func `Nothing that crosses no actor needs to be Sendable`() async {
        let log = Log()
        let result = await locator.withChild("request", { _ in log.lines.append("build") }) { _ in
            await Task.yield()
            log.lines.append("body")
            return log
        }
        #expect(result.lines == ["build", "body"])
    }

    @Test @MainActor func `Both closures run on the caller's actor`() async {
        await locator.withChild("request", { _ in MainActor.assertIsolated() }) { _ in
            await Task.yield()
            MainActor.assertIsolated()
        }
    }

    @Test func `A synchronous closure uses a child, which is released`() throws {
        let name = try locator.withChild("request", registerAda) { child in
            #expect(calls.drain() == [])
            return "\(try child.resolve(User.self).name) \(Session().user().name)"
        }
        #expect(name == "Ada Ada")
        #expect(calls.drain() == ["-Ada"])
    }

    @Test func `The child is the current locator while a synchronous closure registers`() {
        var current: [Locator] = []
        let child = locator.withChild("request", { _ in current.append(.shared) }) { child in
            current.append(.shared)
            return child
        }
        #expect(current.map { $0 === child } == [true, true])
    }

    private func build(_ child: Locator) {
        child.register(.eager(User(name: "Ada")).onDispose { [calls] user in calls.record("-\(user.name)") })
        child.register(.eager(Session()))
    }

    private func userName(in child: Locator) throws -> String { try child.resolve(Session.self).user().name }

    @Test func `An object that is created for a child does not retain it`() throws {
        #expect(try locator.withChild("request", build, userName) == "Ada")
        #expect(calls.drain() == ["-Ada"])
        #expect(try userName(in: locator.child("window", build)) == "Ada")
        #expect(calls.drain() == ["-Ada"])
    }

    @Test func `A synchronous closure throws a typed error`() {
        do throws(Failure) {
            try locator.withChild("request", { child throws(Failure) in registerAda(in: child) }) { _ throws(Failure) in
                throw Failure()
            }
            Issue.record("It threw no error.")
        } catch {
            #expect(error == Failure())
        }
        #expect(calls.drain() == ["-Ada"])
    }
}

// expect-error 8:39 "to expected argument type '@MainActor @Sendable (Locator.Resolver) throws -> Page'"

import Injectle

@MainActor final class Page { init(id: Int) {} }

func registerServices(in locator: Locator) {
    locator.register(.volatile(.main) { (id: Int) in Page(id: id) })
}

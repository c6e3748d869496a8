// expect-error 6:46 "(Database, Cache) -> Repository' to expected argument type '(Database, Cache) throws -> Database'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.initializer(Repository.cached), for: Database.self)
}

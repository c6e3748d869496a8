// expect-error 6:46 "(Database) -> Repository' to expected argument type '(Database) throws -> Database'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.initializer(Repository.init), for: Database.self)
}

// expect-error 6:23 "no exact matches in call to static method 'initializer'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.initializer(Repository.cached), for: Database.self)
}

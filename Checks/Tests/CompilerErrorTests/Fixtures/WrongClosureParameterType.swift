// expect-error 6:28 "type '(Locator) throws -> Repository' to expected argument type '(Locator.Resolver)"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { (locator: Locator) in Repository(database: try locator.resolve()) })
}

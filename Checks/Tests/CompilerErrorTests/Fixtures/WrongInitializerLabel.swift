// expect-error 6:51 "incorrect argument label in call (have 'databse:', expected 'database:')"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { locator in Repository(databse: try locator.resolve()) })
}

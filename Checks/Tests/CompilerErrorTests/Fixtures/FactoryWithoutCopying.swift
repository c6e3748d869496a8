// expect-error 6:23 "requires that 'Database' conform to 'NSCopying'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.factory(Database()))
}

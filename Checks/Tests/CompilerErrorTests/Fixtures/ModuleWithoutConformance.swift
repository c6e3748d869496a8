// expect-error 12:23 "argument type 'DatabaseModule' does not conform to expected type 'Locator.Module'"

import Injectle

struct DatabaseModule {
    func register(in locator: Locator) {
        locator.register(.lazy { Database() })
    }
}

func start(_ locator: Locator) throws {
    try locator.apply(DatabaseModule())
}

// expect-error 6:30 "cannot convert value of type 'Database' to closure result type 'any API'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }, for: (any API).self)
}

// expect-error 6:53 "has no member 'eager'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }.lifetime(.eager))
}

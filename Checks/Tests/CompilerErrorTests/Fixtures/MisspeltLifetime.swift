// expect-error 6:53 "has no member 'weka'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }.lifetime(.weka))
}

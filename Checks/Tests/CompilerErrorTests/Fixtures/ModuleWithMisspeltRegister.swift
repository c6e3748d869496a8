// expect-error 5:8 "type 'DatabaseModule' does not conform to protocol 'Locator.Module'"

import Injectle

struct DatabaseModule: Locator.Module {
    func registr(in locator: Locator) {
        locator.register(.lazy { Database() })
    }
}

// expect-error 5:8 "type 'DatabaseModule' does not conform to protocol 'Locator.Module'"

import Injectle

struct DatabaseModule: Locator.Module {
    func register(in locator: Locator) async {
        locator.register(.lazy { Database() })
    }
}

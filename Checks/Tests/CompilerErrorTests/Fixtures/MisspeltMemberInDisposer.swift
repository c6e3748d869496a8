// expect-error 6:58 "value of type 'Database' has no member 'colse'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }.onDispose { $0.colse() })
}

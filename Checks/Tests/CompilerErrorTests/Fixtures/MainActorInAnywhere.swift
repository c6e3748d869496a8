// expect-error 6:41 "call to main actor-isolated initializer 'init()'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy(.anywhere) { ViewModel() })
}

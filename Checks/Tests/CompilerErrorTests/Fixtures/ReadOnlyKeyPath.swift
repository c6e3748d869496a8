// expect-error 10:41 "the property is read-only: declare it with 'var'"

import Injectle

struct Report {
    let user = User(name: "nobody")
}

func registerServices(in locator: Locator) {
    locator.register(.lazy { Report() }.injecting(\.user))
}

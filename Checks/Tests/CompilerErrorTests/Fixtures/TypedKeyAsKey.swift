// expect-error 10:13 "a typed key has the type, too: pass it by 'for:'"

import Injectle

extension ServiceKey<String> {
    static let token = Self("token")
}

func registerServices(in locator: Locator) {
    locator.register(.lazy { "secret" }, key: .token)
}

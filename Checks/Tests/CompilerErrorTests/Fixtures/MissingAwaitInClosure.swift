// expect-error 8:28 "'async' call in a function that does not support concurrency"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy { locator in
            let user = try loadUser()
            return Session(user: user)
        }
    )
}

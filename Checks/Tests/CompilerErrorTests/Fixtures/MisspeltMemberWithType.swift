// expect-error 9:24 "value of type 'User' has no member 'nmae'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy { locator in
            let user = try locator.resolve(User.self)
            print(user.nmae)
            return HTTPClient()
        },
        for: (any API).self
    )
}

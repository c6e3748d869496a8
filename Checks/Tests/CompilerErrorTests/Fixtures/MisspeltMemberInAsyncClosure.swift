// expect-error 9:24 "value of type 'User' has no member 'nmae'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy { locator in
            let user = try await locator.resolveAsync(User.self)
            print(user.nmae)
            return Session(user: user)
        }
    )
}

// expect-error 6:16 "expression is 'async' but is not marked with 'await'"

import Injectle

func currentUser(of locator: Locator) async throws -> User {
    let user = try locator.resolveAsync(User.self)
    return user
}

// expect-error 7:35 "missing argument label 'key:' in call"

import Injectle

func registerServices(in locator: Locator) throws {
    locator.register(.volatile { (locator, name: String) in User(name: name) })
    let user = try locator.resolve(User.self, "Ada")
    print(user.name)
}

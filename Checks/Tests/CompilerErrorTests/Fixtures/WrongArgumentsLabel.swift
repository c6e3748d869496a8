// expect-error 7:35 "incorrect argument label in call (have '_:argument:', expected '_:arguments:')"

import Injectle

func registerServices(in locator: Locator) throws {
    locator.register(.volatile { (locator, name: String) in User(name: name) })
    let user = try locator.resolve(User.self, argument: "Ada")
    print(user.name)
}

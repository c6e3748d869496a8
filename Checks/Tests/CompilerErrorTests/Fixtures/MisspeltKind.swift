// expect-error 9:22 "type 'InjectleError' has no member 'mising'"

import Injectle

func openDatabase(of locator: Locator) {
    do {
        try locator.resolve(Database.self).open()
    } catch {
        if error == .mising { print("no database") }
    }
}

// expect-error 8:27 "type 'InjectleError' has no member 'mising'"

import Injectle

func openDatabase(of locator: Locator) throws {
    do {
        try locator.resolve(Database.self).open()
    } catch InjectleError.mising {
        print("no database")
    }
}

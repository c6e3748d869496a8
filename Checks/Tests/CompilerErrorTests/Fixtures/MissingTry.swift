// expect-error 6:20 "call can throw but is not marked with 'try'"

import Injectle

func openDatabase(of locator: Locator) throws {
    let database = locator.resolve(Database.self)
    database.open()
}

// expect-error 9:22 "value of type 'Database' has no member 'opne'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy { locator in
            let database = try locator.resolve(Database.self)
            database.opne()
            return Repository(database: database)
        }
    )
}

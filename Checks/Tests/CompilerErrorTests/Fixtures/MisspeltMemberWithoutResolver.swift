// expect-error 9:22 "value of type 'Database' has no member 'opne'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy {
            let database = Database()
            database.opne()
            return database
        }.lifetime(.weak)
    )
}

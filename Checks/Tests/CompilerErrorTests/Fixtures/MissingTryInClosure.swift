// expect-error 8:38 "call can throw, but it is not marked with 'try'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(
        .lazy { locator in
            let database: Database = locator.resolve()
            return Repository(database: database)
        }
    )
}

// expect-error 10:10 "'database' is a get-only property"

import Injectle

final class Page {
    @Inject var database: Database
}

func replaceDatabase(of page: Page) {
    page.database = Database()
}

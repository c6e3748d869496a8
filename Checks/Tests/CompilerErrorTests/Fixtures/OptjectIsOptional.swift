// expect-error 10:10 "value of optional type 'Database?' must be unwrapped"

import Injectle

final class Page {
    @Optject var database: Database?
}

func openDatabase(of page: Page) {
    page.database.open()
}

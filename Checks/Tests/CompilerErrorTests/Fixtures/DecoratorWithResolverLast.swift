// expect-error 6:13 "the resolver comes first: '{ locator, service in … }'"

import Injectle

func decorateServices(in locator: Locator) {
    locator.decorate(Repository.self) { repository, locator in
        Repository.cached(database: try locator.resolve(), cache: Cache())
    }
}

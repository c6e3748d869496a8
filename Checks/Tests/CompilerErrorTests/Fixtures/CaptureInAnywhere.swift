// expect-error 7:52 "capture of 'cache' with non-Sendable type 'Cache'"
// language-mode: 6

import Injectle

func registerServices(in locator: Locator, cache: Cache) {
    locator.register(.lazy(.anywhere) { User(name: cache.entries[0]) })
}

// expect-error 8:10 "passing closure as a 'sending' parameter risks causing data races"
// language-mode: 6

import Injectle

func registerServices(in locator: Locator, cache: Cache) {
    let registration = Locator.Registration<User>.lazy { User(name: cache.entries[0]) }
    Task.detached { locator.register(registration) }
    cache.entries.append("")
}

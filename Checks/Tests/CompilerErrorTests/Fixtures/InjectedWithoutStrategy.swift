// expect-error 6:13 "class 'Page' has no initializers"
// An initializer can set `_database`, so `@Injected` without `resolve:` is no error in itself.

import Injectle

final class Page {
    @Injected var database: Database
}

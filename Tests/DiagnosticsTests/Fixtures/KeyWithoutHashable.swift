// expect-error 11:6 "failed to produce diagnostic for expression"
// reported-elsewhere: At the attribute, since the compiler has no message for a key that is not Hashable.

import Injectle

struct Region {
    let name: String
}

final class Page {
    @Inject(Region(name: "EU")) var api: any API
}

// expect-error 11:13 "cannot convert value of type 'Region' to expected argument type"
// reported-elsewhere: The compiler names the initializer for a ServiceKey, and not the missing conformance.

import Injectle

struct Region {
    let name: String
}

final class Page {
    @Inject(Region(name: "EU")) var api: any API
}

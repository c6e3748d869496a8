// expect-error 8:23 "has no member 'lzay'"
// expect-error 8:13 "generic parameter 'Service' could not be inferred"
// reported-elsewhere: The compiler also reports that it cannot infer Service, unless `for:` names the type.

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lzay { Database() })
}

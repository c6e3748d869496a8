// expect-error 6:62 "expected member name or initializer call after type name"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { HTTPClient() }.contributing(to: HTTPClient))
}

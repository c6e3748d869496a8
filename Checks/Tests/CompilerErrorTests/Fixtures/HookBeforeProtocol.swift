// expect-error 9:74 "cannot convert value of type '(any Store).Type' to expected argument type 'ServiceKey<Database>'"

import Injectle

protocol Store: Sendable {}
extension Database: Store {}

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }.onDispose { $0.close() }, for: (any Store).self)
}

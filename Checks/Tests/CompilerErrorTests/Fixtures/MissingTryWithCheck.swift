// expect-error 6:5 "call can throw, but it is not marked with 'try'"

import Injectle

func registerServices(in locator: Locator) {
    locator.register(.lazy { Database() }, and: forbidReassignment)
}

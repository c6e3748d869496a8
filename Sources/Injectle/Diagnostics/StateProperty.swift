/// What a property of a view stores so that a check of the type of the view sees its service: a service of the view's locator,
/// or one that the view itself creates, which only an object of the view shows.
package struct StateProperty<Service>: Sendable {
    package init() {}
}

internal import Injectle

/// An owner of an injected property.
final class Holder {
    @Inject var service: any Service
}

/// The same by hand.
final class PlainHolder {
    let service: any Service

    init(service: any Service) { self.service = service }
}

extension Row {
    /// Rows 3 and 4: properties.
    static let properties: [Row] = [
        Row("3a-read-property") {
            try fill(.default, among: 10)
            return readingAgain(Holder())
        },
        Row("3b-read-property-once-other-locators-exist") {
            try fill(.default, among: 10)
            makeOtherLocator()
            return readingAgain(Holder())
        },
        Row("3c-read-property-created-in-override") {
            readingAgain(holder(in: try locatorWithSingleton(among: 10)))
        },
        Row("3d-read-property-once-an-override-existed") {
            try fill(.default, among: 10)
            allowOverrides()
            return readingAgain(Holder())
        },
        Row("4a-make-and-read-and-drop-holder") {
            try fill(.default, among: 10)
            return makingAndReading()
        },
        Row("4b-make-and-read-and-drop-holder-once-other-locators-exist") {
            try fill(.default, among: 10)
            makeOtherLocator()
            return makingAndReading()
        },
        Row("4c-make-and-read-and-drop-holder-once-an-override-existed") {
            try fill(.default, among: 10)
            allowOverrides()
            return makingAndReading()
        },
    ]

    private static func readingAgain(_ holder: Holder) -> (floor: Loop, work: Loop) {
        let plainHolder = PlainHolder(service: Singletons.service)
        return (
            { count in repeated(count) { readPlain(plainHolder, &$0) } },
            readLoop(holder)
        )
    }

    private static func makingAndReading() -> (floor: Loop, work: Loop) {
        (
            { count in repeated(count) { readPlain(makePlainHolder(), &$0) } },
            { count in repeated(count) { read(makeHolder(), &$0) } }
        )
    }
}

/// The loop of row 3's work.
func readLoop(_ holder: Holder) -> Loop {
    { count in repeated(count) { read(holder, &$0) } }
}

/// A holder that always uses one locator, because that locator was the override at its creation.
func holder(in locator: Locator) -> Holder {
    Locator.$shared.withValue(locator) { Holder() }
}

private func makeOtherLocator() {
    _ = Locator("other")
}

/// From now on, each read has to look for an override.
private func allowOverrides() {
    Locator.$shared.withValue(Locator("other")) {}
}

@inline(never)
private func read(_ holder: Holder, _ result: inout (any Service)?) {
    result = holder.service
}

@inline(never)
private func readPlain(_ holder: PlainHolder, _ result: inout (any Service)?) {
    result = holder.service
}

// Separate functions, so that the objects are allocated on the heap, as in a program.

@inline(never)
private func makeHolder() -> Holder { Holder() }

@inline(never)
private func makePlainHolder() -> PlainHolder { PlainHolder(service: Singletons.service) }

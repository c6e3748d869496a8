internal import Injectle

// The same work in the forms that programs write.

/// A protocol that is not class-bound.
protocol Open: Sendable {
    var number: Int { get }
}

private final class OpenClass: Open {
    let number = 1
}

private struct OneWord: Open {
    let number: Int
}

private struct FiveWords: Open {
    let number: Int
    let others = (0, 0, 0, 0)
}

private struct TwentyWords: Open {
    let number: Int
    let others = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
}

private enum OpenSingletons {
    static let object: any Open = makeOpen(0)
    static let oneWord: any Open = makeOpen(1)
    static let fiveWords: any Open = makeOpen(5)
    static let twentyWords: any Open = makeOpen(20)
}

@inline(never)
private func makeOpen(_ words: Int) -> any Open {
    switch words {
    case 1: OneWord(number: 1)
    case 5: FiveWords(number: 5)
    case 20: TwentyWords(number: 20)
    default: OpenClass()
    }
}

private final class OpenHolder {
    @Inject var service: any Open
}

private final class PlainOpenHolder {
    let service: any Open
    init(service: any Open) { self.service = service }
}

extension Row {
    /// Row 16: existing singletons as values of a protocol that is not class-bound.
    static let forms: [Row] = [
        Row("16a-resolve-object-as-open-protocol") { resolving(0) { readOpenObject(&$0) } },
        Row("16b-resolve-one-word-as-open-protocol") { resolving(1) { readOpenOneWord(&$0) } },
        Row("16c-resolve-five-words-as-open-protocol") { resolving(5) { readOpenFiveWords(&$0) } },
        Row("16d-resolve-twenty-words-as-open-protocol") { resolving(20) { readOpenTwentyWords(&$0) } },
        Row("16e-read-property-of-open-protocol") {
            let holder = Locator.$shared.withValue(openLocator(0)) { OpenHolder() }
            let plain = PlainOpenHolder(service: OpenSingletons.object)
            return (
                { count in repeated(count) { readPlainOpen(plain, &$0) } },
                { count in repeated(count) { readOpen(holder, &$0) } }
            )
        },
    ]

    private static func resolving(_ words: Int, _ floor: @escaping (inout (any Open)?) -> Void) -> (Loop, Loop) {
        let locator = openLocator(words)
        return (
            { count in repeated(count) { floor(&$0) } },
            { count in try repeated(count) { try resolveOpen(locator, &$0) } }
        )
    }
}

private func openLocator(_ words: Int) -> Locator {
    Locator("benchmark") { locator in
        registerOthers(10, in: locator)
        locator.register(.eager(makeOpen(words)))
    }
}

@inline(never)
private func readOpenObject(_ result: inout (any Open)?) { result = OpenSingletons.object }

@inline(never)
private func readOpenOneWord(_ result: inout (any Open)?) { result = OpenSingletons.oneWord }

@inline(never)
private func readOpenFiveWords(_ result: inout (any Open)?) { result = OpenSingletons.fiveWords }

@inline(never)
private func readOpenTwentyWords(_ result: inout (any Open)?) { result = OpenSingletons.twentyWords }

@inline(never)
private func resolveOpen(_ locator: Locator, _ result: inout (any Open)?) throws {
    result = try locator.resolve((any Open).self)
}

@inline(never)
private func readOpen(_ holder: OpenHolder, _ result: inout (any Open)?) { result = holder.service }

@inline(never)
private func readPlainOpen(_ holder: PlainOpenHolder, _ result: inout (any Open)?) { result = holder.service }

internal import Injectle

extension Row {
    /// Rows 5 and 6: services that are made at each resolve.
    static let volatiles: [Row] = [
        Row("5-resolve-volatile") {
            (
                { count in repeated(count) { makePlainly(&$0) } },
                resolveLoop(locatorWithVolatile(among: 10))
            )
        },
        Row("6a-resolve-chain-of-ten-volatiles") {
            let locator = Locator("benchmark", registerChain)
            return (
                { count in repeated(count) { makeChain(&$0) } },
                { count in try repeated(count) { try resolveChain(locator, &$0) } }
            )
        },
        Row("6b-resolve-volatile-that-needs-nine") {
            let locator = Locator("benchmark", registerFlat)
            return (
                { count in repeated(count) { makeFlat(&$0) } },
                { count in try repeated(count) { try resolveFlat(locator, &$0) } }
            )
        },
    ]
}

/// A locator with a volatile service.
func locatorWithVolatile(among others: Int) -> Locator {
    Locator("benchmark") { locator in
        registerOthers(others, in: locator)
        locator.register(.volatile(.anywhere) { Implementation() }, for: (any Service).self)
    }
}

@inline(never)
private func makePlainly(_ result: inout (any Service)?) {
    result = Implementation()
}

@inline(never)
private func makeChain(_ result: inout Link1?) {
    result = Link1(Link2(Link3(Link4(Link5(Link6(Link7(Link8(Link9(Link10())))))))))
}

@inline(never)
private func resolveChain(_ locator: Locator, _ result: inout Link1?) throws {
    result = try locator.resolve()
}

@inline(never)
private func makeFlat(_ result: inout Trunk?) {
    result = Trunk(Leaf1(), Leaf2(), Leaf3(), Leaf4(), Leaf5(), Leaf6(), Leaf7(), Leaf8(), Leaf9())
}

@inline(never)
private func resolveFlat(_ locator: Locator, _ result: inout Trunk?) throws {
    result = try locator.resolve()
}

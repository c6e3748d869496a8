internal import Injectle

// Ten services that need one another: in a chain, and all by the first.

final class Link1: Sendable {
    let next: Link2
    init(_ next: Link2) { self.next = next }
}

final class Link2: Sendable {
    let next: Link3
    init(_ next: Link3) { self.next = next }
}

final class Link3: Sendable {
    let next: Link4
    init(_ next: Link4) { self.next = next }
}

final class Link4: Sendable {
    let next: Link5
    init(_ next: Link5) { self.next = next }
}

final class Link5: Sendable {
    let next: Link6
    init(_ next: Link6) { self.next = next }
}

final class Link6: Sendable {
    let next: Link7
    init(_ next: Link7) { self.next = next }
}

final class Link7: Sendable {
    let next: Link8
    init(_ next: Link8) { self.next = next }
}

final class Link8: Sendable {
    let next: Link9
    init(_ next: Link9) { self.next = next }
}

final class Link9: Sendable {
    let next: Link10
    init(_ next: Link10) { self.next = next }
}

final class Link10: Sendable {}

func registerChain(in locator: Locator) {
    locator.register(.volatile(.anywhere) { locator in Link1(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link2(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link3(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link4(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link5(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link6(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link7(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link8(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { locator in Link9(try locator.resolve()) })
    locator.register(.volatile(.anywhere) { Link10() })
}

final class Leaf1: Sendable {}
final class Leaf2: Sendable {}
final class Leaf3: Sendable {}
final class Leaf4: Sendable {}
final class Leaf5: Sendable {}
final class Leaf6: Sendable {}
final class Leaf7: Sendable {}
final class Leaf8: Sendable {}
final class Leaf9: Sendable {}

final class Trunk: Sendable {
    let leaf1: Leaf1
    let leaf2: Leaf2
    let leaf3: Leaf3
    let leaf4: Leaf4
    let leaf5: Leaf5
    let leaf6: Leaf6
    let leaf7: Leaf7
    let leaf8: Leaf8
    let leaf9: Leaf9

    init(
        _ leaf1: Leaf1,
        _ leaf2: Leaf2,
        _ leaf3: Leaf3,
        _ leaf4: Leaf4,
        _ leaf5: Leaf5,
        _ leaf6: Leaf6,
        _ leaf7: Leaf7,
        _ leaf8: Leaf8,
        _ leaf9: Leaf9
    ) {
        self.leaf1 = leaf1
        self.leaf2 = leaf2
        self.leaf3 = leaf3
        self.leaf4 = leaf4
        self.leaf5 = leaf5
        self.leaf6 = leaf6
        self.leaf7 = leaf7
        self.leaf8 = leaf8
        self.leaf9 = leaf9
    }
}

func registerFlat(in locator: Locator) {
    locator.register(.volatile(.anywhere) { Leaf1() })
    locator.register(.volatile(.anywhere) { Leaf2() })
    locator.register(.volatile(.anywhere) { Leaf3() })
    locator.register(.volatile(.anywhere) { Leaf4() })
    locator.register(.volatile(.anywhere) { Leaf5() })
    locator.register(.volatile(.anywhere) { Leaf6() })
    locator.register(.volatile(.anywhere) { Leaf7() })
    locator.register(.volatile(.anywhere) { Leaf8() })
    locator.register(.volatile(.anywhere) { Leaf9() })
    locator.register(
        .volatile(.anywhere) { locator in
            try Trunk(
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve(),
                locator.resolve()
            )
        }
    )
}

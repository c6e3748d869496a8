import Injectle

private struct Screen {
    @Inject var client: any APIClient
}

func injectle() -> Library {
    Locator.default.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
    let locator = Locator("app") { locator in
        locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
        locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self, key: "eu")
        locator.register(.volatile { LiveAPIClient() })
        locator.register(.lazy { MockAPIClient() }.lifetime(.weak))
        locator.register(.volatile { (_, number: Int) in Page(number: number) })
    }
    let kept = try! locator.resolve(MockAPIClient.self)
    return Library(
        name: "Injectle",
        repeating: [
            .singleton: { for _ in 0..<$0 { use(try! locator.resolve((any APIClient).self)) } },
            .property: { for _ in 0..<$0 { use(Screen().client) } },
            .transient: { for _ in 0..<$0 { use(try! locator.resolve(LiveAPIClient.self)) } },
            .tenTransients: {
                for _ in 0..<$0 { for _ in 0..<10 { use(try! locator.resolve(LiveAPIClient.self)) } }
            },
            .named: { for _ in 0..<$0 { use(try! locator.resolve((any APIClient).self, key: "eu")) } },
            .weak: {
                for _ in 0..<$0 { use(try! locator.resolve(MockAPIClient.self)) }
                use(kept)
            },
            .argument: { for number in 0..<$0 { use(try! locator.resolve(Page.self, arguments: number)) } },
            .missing: { for _ in 0..<$0 { use(try! locator.resolveOptional((any Analytics).self)) } },
            .child: {
                for _ in 0..<$0 {
                    let child = locator.child()
                    child.register(.lazy { MockAPIClient() }, for: (any APIClient).self)
                    use(try! child.resolve((any APIClient).self))
                }
            },
            .registration: {
                for _ in 0..<$0 {
                    let locator = Locator()
                    locator.register(.lazy { LiveAPIClient() }, for: (any APIClient).self)
                    use(try! locator.resolve((any APIClient).self))
                }
            },
        ]
    )
}

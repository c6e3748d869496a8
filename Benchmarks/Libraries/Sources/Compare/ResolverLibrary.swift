import Resolver

extension Resolver.Name {
    fileprivate static let eu = Self("eu")
}

private struct Screen {
    @Injected var client: any APIClient
}

func resolver() -> Library {
    let main = Resolver.main
    main.register { LiveAPIClient() as any APIClient }.scope(.application)
    main.register(name: .eu) { LiveAPIClient() as any APIClient }.scope(.application)
    main.register { LiveAPIClient() }.scope(.unique)
    main.register { MockAPIClient() }.scope(.shared)
    main.register { _, arguments in Page(number: arguments()) }.scope(.unique)
    let kept = main.resolve(MockAPIClient.self)
    return Library(
        name: "Resolver",
        repeating: [
            .singleton: { for _ in 0..<$0 { use(main.resolve((any APIClient).self)) } },
            .property: { for _ in 0..<$0 { use(Screen().client) } },
            .transient: { for _ in 0..<$0 { use(main.resolve(LiveAPIClient.self)) } },
            .tenTransients: { for _ in 0..<$0 { for _ in 0..<10 { use(main.resolve(LiveAPIClient.self)) } } },
            .named: { for _ in 0..<$0 { use(main.resolve((any APIClient).self, name: .eu)) } },
            .weak: {
                for _ in 0..<$0 { use(main.resolve(MockAPIClient.self)) }
                use(kept)
            },
            .argument: { for number in 0..<$0 { use(main.resolve(Page.self, args: number)) } },
            .missing: { for _ in 0..<$0 { use(main.optional((any Analytics).self) as Any) } },
            .child: {
                for _ in 0..<$0 {
                    let child = Resolver(child: main)
                    child.register { MockAPIClient() as any APIClient }.scope(child.cache)
                    use(child.resolve((any APIClient).self))
                }
            },
            .registration: {
                for _ in 0..<$0 {
                    let resolver = Resolver()
                    resolver.register { LiveAPIClient() as any APIClient }.scope(resolver.cache)
                    use(resolver.resolve((any APIClient).self))
                }
            },
        ]
    )
}

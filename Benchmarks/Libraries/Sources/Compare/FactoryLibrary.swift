import FactoryKit

// A factory has no name: each is a property.
extension Container {
    fileprivate var client: Factory<any APIClient> { self { LiveAPIClient() }.singleton }
    fileprivate var transient: Factory<LiveAPIClient> { self { LiveAPIClient() } }
    fileprivate var weak: Factory<MockAPIClient> { self { MockAPIClient() }.shared }
    fileprivate var page: ParameterFactory<Int, Page> { self { Page(number: $0) } }
    fileprivate var analytics: Factory<(any Analytics)?> { promised() }
    fileprivate var cached: Factory<any APIClient> { self { LiveAPIClient() }.cached }
}

private struct Screen {
    @Injected(\.client) var client
}

func factory() -> Library {
    let container = Container.shared
    let kept = container.weak()
    return Library(
        name: "Factory",
        repeating: [
            .singleton: { for _ in 0..<$0 { use(container.client()) } },
            .property: { for _ in 0..<$0 { use(Screen().client) } },
            .transient: { for _ in 0..<$0 { use(container.transient()) } },
            .tenTransients: { for _ in 0..<$0 { for _ in 0..<10 { use(container.transient()) } } },
            .weak: {
                for _ in 0..<$0 { use(container.weak()) }
                use(kept)
            },
            .argument: { for number in 0..<$0 { use(container.page(number)) } },
            .missing: { for _ in 0..<$0 { use(container.analytics()) } },
            .child: {
                for _ in 0..<$0 {
                    let child = Container()
                    child.cached.register { MockAPIClient() }
                    use(child.cached())
                }
            },
            .registration: { for _ in 0..<$0 { use(Container().cached()) } },
        ]
    )
}

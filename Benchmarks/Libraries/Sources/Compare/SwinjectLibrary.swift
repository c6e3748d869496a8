import Swinject

func swinject() -> Library {
    let container = Container()
    container.register((any APIClient).self) { _ in LiveAPIClient() }.inObjectScope(.container)
    container.register((any APIClient).self, name: "eu") { _ in LiveAPIClient() }.inObjectScope(.container)
    container.register(LiveAPIClient.self) { _ in LiveAPIClient() }.inObjectScope(.transient)
    container.register(MockAPIClient.self) { _ in MockAPIClient() }.inObjectScope(.weak)
    container.register(Page.self) { _, number in Page(number: number) }.inObjectScope(.transient)
    let kept = container.resolve(MockAPIClient.self)!
    return Library(
        name: "Swinject",
        repeating: [
            .singleton: { for _ in 0..<$0 { use(container.resolve((any APIClient).self)!) } },
            .transient: { for _ in 0..<$0 { use(container.resolve(LiveAPIClient.self)!) } },
            .tenTransients: { for _ in 0..<$0 { for _ in 0..<10 { use(container.resolve(LiveAPIClient.self)!) } } },
            .named: { for _ in 0..<$0 { use(container.resolve((any APIClient).self, name: "eu")!) } },
            .weak: {
                for _ in 0..<$0 { use(container.resolve(MockAPIClient.self)!) }
                use(kept)
            },
            .argument: { for number in 0..<$0 { use(container.resolve(Page.self, argument: number)!) } },
            .child: {
                for _ in 0..<$0 {
                    let child = Container(parent: container)
                    child.register((any APIClient).self) { _ in MockAPIClient() }.inObjectScope(.container)
                    use(child.resolve((any APIClient).self)!)
                }
            },
            .registration: {
                for _ in 0..<$0 {
                    let container = Container()
                    container.register((any APIClient).self) { _ in LiveAPIClient() }.inObjectScope(.container)
                    use(container.resolve((any APIClient).self)!)
                }
            },
        ]
    )
}

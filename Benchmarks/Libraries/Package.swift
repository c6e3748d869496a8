// swift-tools-version: 6.2

import PackageDescription

/// The folder of a checkout, which `Benchmarks/compare` passes.
func checkout(_ name: String) -> Package.Dependency {
    .package(name: name, path: Context.environment[name.uppercased()] ?? "\(name) is not given")
}

let package = Package(
    name: "Libraries",
    platforms: [.macOS(.v13)],
    dependencies: [
        .package(name: "Injectle", path: "../.."), checkout("Swinject"), checkout("Factory"), checkout("Resolver"),
    ],
    targets: [
        // The same ten operations with each library, as its users write them.
        .executableTarget(
            name: "Compare",
            dependencies: [
                .product(name: "Injectle", package: "Injectle"), .product(name: "Swinject", package: "Swinject"),
                .product(name: "FactoryKit", package: "Factory"), .product(name: "Resolver", package: "Resolver"),
            ]
        )
    ],
    // Services of the other libraries are not all sendable.
    swiftLanguageModes: [.v5]
)

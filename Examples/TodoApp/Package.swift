// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "TodoApp",
    // Observation needs these versions.
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "TodoAppKit", targets: ["TodoAppKit"])
    ],
    dependencies: [
        .package(name: "injectle", path: "../..")
    ],
    targets: [
        // Services, view models and their registration: all that needs no SwiftUI.
        .target(
            name: "TodoAppKit",
            dependencies: [.product(name: "Injectle", package: "injectle")],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
        .testTarget(
            name: "TodoAppKitTests",
            dependencies: [
                "TodoAppKit", .product(name: "Injectle", package: "injectle"),
                .product(name: "InjectleDiagnostics", package: "injectle"),
                .product(name: "InjectleTesting", package: "injectle"),
            ],
            swiftSettings: [.defaultIsolation(MainActor.self)]
        ),
    ]
)

// The views and the app. Linux has no SwiftUI, so the package `Checks` of the library type-checks them there.
#if os(macOS)
package.products.append(.library(name: "TodoAppUI", targets: ["TodoAppUI"]))
package.targets += [
    .target(
        name: "TodoAppUI",
        dependencies: [
            "TodoAppKit", .product(name: "Injectle", package: "injectle"),
            .product(name: "InjectleSwiftUI", package: "injectle"),
        ],
        swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
    .executableTarget(
        name: "TodoApp",
        dependencies: ["TodoAppKit", "TodoAppUI", .product(name: "Injectle", package: "injectle")],
        swiftSettings: [.defaultIsolation(MainActor.self)]
    ),
]
#endif

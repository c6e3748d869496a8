// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "TodoApp",
    // Observation needs these versions.
    platforms: [.macOS(.v14), .iOS(.v17)],
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

// The app itself. Linux has no SwiftUI.
#if os(macOS)
package.targets.append(
    .executableTarget(
        name: "TodoApp",
        dependencies: ["TodoAppKit", .product(name: "Injectle", package: "injectle")],
        swiftSettings: [.defaultIsolation(MainActor.self)]
    )
)
#endif

// swift-tools-version: 6.2

import PackageDescription

// Tests of which most fail. `SampleTests` runs them by `swift test`, and compares the output.
let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    // Named, since the identity of a package by path is the name of its folder, which may be any.
    dependencies: [.package(name: "Injectle", path: "../..")],
    targets: [
        .testTarget(
            name: "SampleTests",
            dependencies: [
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleTesting", package: "Injectle"),
            ]
        )
    ]
)

// swift-tools-version: 6.2

import PackageDescription

// Tests of which some fail. `SampleTests` runs them by `swift test`, and compares the output.
let package = Package(
    name: "Samples",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "injectle", path: "../../..")],
    targets: [
        .testTarget(name: "Samples", dependencies: [.product(name: "InjectleTesting", package: "injectle"), .product(name: "Injectle", package: "injectle")], path: "Tests/SampleTests"),
    ]
)

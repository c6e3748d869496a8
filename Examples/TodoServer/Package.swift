// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "TodoServer",
    platforms: [.macOS(.v15)],
    dependencies: [
        // Named, since the identity of a package by path is the name of its folder, which may be any.
        .package(name: "Injectle", path: "../.."),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.20.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.8.0"),
    ],
    targets: [
        .target(
            name: "TodoKit",
            dependencies: [
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "Metrics", package: "swift-metrics"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]
        ),
        .executableTarget(
            name: "TodoServer",
            dependencies: [
                "TodoKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // The same server without Injectle, for `compare`.
        .executableTarget(
            name: "PlainServer",
            dependencies: [
                "TodoKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        // The same server with registrations that change, for `soak`.
        .executableTarget(
            name: "SoakServer",
            dependencies: [
                "TodoKit",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "Logging", package: "swift-log"),
            ]
        ),
        .testTarget(
            name: "TodoKitTests",
            dependencies: [
                "TodoKit",
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
                .product(name: "InjectleTesting", package: "Injectle"),
                .product(name: "MetricsTestKit", package: "swift-metrics"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

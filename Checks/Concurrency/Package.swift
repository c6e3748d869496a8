// swift-tools-version: 6.2

import PackageDescription

// Tests of what threads, tasks and the optimizer can change. `.ci/run` compiles them for release and with the thread
// sanitizer.
let package = Package(
    name: "Concurrency",
    platforms: [.macOS(.v15)],
    // Named, since the identity of a package by path is the name of its folder, which may be any.
    dependencies: [.package(name: "Injectle", path: "../..")],
    targets: [
        .target(
            name: "InjectleTestSupport",
            dependencies: [.product(name: "Injectle", package: "Injectle")],
            path: "Support"
        ),
        .testTarget(
            name: "ConcurrencyTests",
            dependencies: ["InjectleTestSupport", .product(name: "Injectle", package: "Injectle")]
        ),
        .testTarget(
            name: "InjectleDiagnosticsTests",
            dependencies: [
                "InjectleTestSupport",
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
            ]
        ),
        // The root runs them, too.
        .testTarget(
            name: "InjectleTestingTests",
            dependencies: [
                "InjectleTestSupport",
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleTesting", package: "Injectle"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

// swift-tools-version: 6.2

import PackageDescription

// The settings of the client: of a new package, or, by the environment variable INJECTLE_CLIENT, of Swift 5, or of an app
// with the main actor as default isolation.
let clientSettings: [SwiftSetting] =
    switch Context.environment["INJECTLE_CLIENT"] {
    case "swift-5": [.swiftLanguageMode(.v5)]
    case "main-actor": [.defaultIsolation(MainActor.self)]
    default: []
    }

// Checks that run the compiler or random programs. `swift test --package-path Checks` runs them; `swift test` in the
// root does not need them.
let package = Package(
    name: "Checks",
    platforms: [.macOS(.v15)],
    // Named, since the identity of a package by path is the name of its folder, which may be any.
    dependencies: [.package(name: "Injectle", path: "..")],
    targets: [
        .target(
            name: "InjectleTestSupport",
            dependencies: [.product(name: "Injectle", package: "Injectle")],
            path: "Concurrency/Support",
            exclude: ["TrackedServices.swift"]
        ),
        // The compiler and the package manager, for tests that run them.
        .target(name: "ToolchainSupport"),
        // They compile the code blocks of the documents, and compare stated output.
        .testTarget(
            name: "DocumentTests",
            dependencies: [
                "ToolchainSupport",
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
                .product(name: "InjectleTesting", package: "Injectle"),
                .product(name: "Carpool", package: "Injectle"),
            ],
            // Compiled by the tests themselves.
            exclude: ["Declarations"]
        ),
        // They compile files with one mistake each, and compare the errors with the expected ones.
        .testTarget(
            name: "CompilerErrorTests",
            dependencies: ["ToolchainSupport", .product(name: "Injectle", package: "Injectle")],
            exclude: ["Fixtures"]
        ),
        // They open the page of a graph in a browser.
        .testTarget(
            name: "PageTests",
            dependencies: [
                "InjectleTestSupport",
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
            ]
        ),
        // They run a package of tests that fail, and compare which of them do.
        .testTarget(name: "SampleTests", dependencies: ["ToolchainSupport"]),
        // Random programs, compared with a model of the library, and random calls from many threads.
        .target(
            name: "Model",
            dependencies: [
                "InjectleTestSupport",
                .product(name: "Injectle", package: "Injectle"),
                .product(name: "InjectleDiagnostics", package: "Injectle"),
            ]
        ),
        .executableTarget(name: "Fuzz", dependencies: ["Model"]),
        .testTarget(name: "ModelTests", dependencies: ["Model", "InjectleTestSupport"]),
        // Programs as users write them.
        .testTarget(
            name: "ClientTests",
            dependencies: ["InjectleTestSupport", .product(name: "Injectle", package: "Injectle")],
            swiftSettings: clientSettings
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "ClientTests" {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

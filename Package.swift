// swift-tools-version: 6.2

import PackageDescription

// A resource adds a generated file, which imports Foundation, to the module, and a folder to each program. Only the
// tools of Apple's platforms, which run on macOS, read a privacy manifest.
#if os(macOS)
let privacyManifest: (resources: [Resource], exclude: [String]) = ([.copy("PrivacyInfo.xcprivacy")], [])
#else
let privacyManifest: (resources: [Resource], exclude: [String]) = ([], ["PrivacyInfo.xcprivacy"])
#endif

let package = Package(
    name: "Injectle",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Injectle", targets: ["Injectle"]),
        // One copy of the library, and so one `Locator.default`, for an app and its dynamic frameworks.
        .library(name: "InjectleDynamic", type: .dynamic, targets: ["Injectle", "InjectleSwiftUI"]),
        .library(name: "InjectleDiagnostics", targets: ["InjectleDiagnostics"]),
        .library(name: "InjectleTesting", targets: ["InjectleTesting"]),
        .library(name: "InjectleSwiftUI", targets: ["InjectleSwiftUI"]),
        .executable(name: "Carpool", targets: ["Carpool"]),
    ],
    targets: [
        .target(name: "CInjectle"),
        .target(
            name: "Injectle",
            dependencies: ["CInjectle"],
            exclude: privacyManifest.exclude,
            resources: privacyManifest.resources
        ),
        // `check()`, the graph of services, `explain` and the log.
        .target(name: "InjectleDiagnostics", dependencies: ["Injectle"]),
        // The trait for Swift Testing and the support for XCTest.
        .target(name: "InjectleTesting", dependencies: ["Injectle", "InjectleDiagnostics"]),
        // Locators and services of views. Without SwiftUI, it has no public symbol.
        .target(name: "InjectleSwiftUI", dependencies: ["Injectle"]),
        .target(
            name: "CarpoolKit",
            dependencies: ["Injectle", "InjectleDiagnostics"],
            resources: [.copy("Resources/bookings.csv"), .copy("Resources/fares.json")]
        ),
        .executableTarget(name: "Carpool", dependencies: ["CarpoolKit"]),
        // Inside of the packages whose tests need it, too, since a package has no sources outside of its folder.
        .target(name: "InjectleTestSupport", dependencies: ["Injectle"], path: "Checks/Concurrency/Support"),
        .testTarget(name: "InjectleTests", dependencies: ["Injectle", "InjectleTestSupport"]),
        // The trait, the support for XCTest, copies and overrides. They run in release and with the thread sanitizer, too.
        .testTarget(
            name: "InjectleTestingTests",
            dependencies: ["Injectle", "InjectleTesting", "InjectleTestSupport"],
            path: "Checks/Concurrency/Tests/InjectleTestingTests"
        ),
        .testTarget(
            name: "InjectleDiagnosticsTests",
            dependencies: ["Injectle", "InjectleDiagnostics", "InjectleTestSupport"]
        ),
        // The parts of InjectleSwiftUI that need no view. The package `Checks` type-checks the others.
        .testTarget(
            name: "InjectleSwiftUITests",
            dependencies: ["Injectle", "InjectleSwiftUI", "InjectleTestSupport"]
        ),
        .testTarget(
            name: "CarpoolTests",
            dependencies: [
                "CarpoolKit", "Injectle", "InjectleDiagnostics", "InjectleTesting", "InjectleTestSupport",
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

for target in package.targets where target.name != "CInjectle" {
    var settings = target.swiftSettings ?? []
    // `any` is written wherever a protocol is used as a type.
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    // A member is visible only where its module is imported.
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    // An import says whether clients see it.
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    // A nonisolated asynchronous function runs where its caller runs.
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    // Expressions that the compiler cannot prove safe are marked.
    if target.name == "Injectle" { settings.append(.strictMemorySafety()) }
    target.swiftSettings = settings
}

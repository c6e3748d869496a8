// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "Injectle",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "Injectle", targets: ["Injectle"]),
        .executable(name: "Carpool", targets: ["Carpool"]),
    ],
    targets: [
        .target(name: "CInjectle"),
        .target(name: "Injectle", dependencies: ["CInjectle"]),
        .target(name: "CarpoolKit", dependencies: ["Injectle"], resources: [.copy("Resources/bookings.csv")]),
        .executableTarget(name: "Carpool", dependencies: ["CarpoolKit"]),
        .testTarget(name: "InjectleTests", dependencies: ["Injectle", "CInjectle"]),
        .testTarget(name: "CarpoolTests", dependencies: ["CarpoolKit", "Injectle"]),
        // What is told apart by module or language mode can only be tested from other modules.
        .target(name: "OtherModule", dependencies: ["Injectle"], path: "Tests/OtherModule"),
        .testTarget(name: "MainActorClientTests", dependencies: ["Injectle"]),
        .testTarget(name: "SwiftFiveClientTests", dependencies: ["Injectle"]),
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
    target.swiftSettings = settings
}

// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "InjectleBenchmarks",
    platforms: [.macOS(.v13)],
    // Named, since the identity of a package by path is the name of its folder, which may be any.
    dependencies: [.package(name: "Injectle", path: "..")],
    targets: [
        // The measured operations, each with the same without the library.
        .target(name: "Rows", dependencies: [.product(name: "Injectle", package: "Injectle")]),
        // Prints the table of ratios.
        .executableTarget(name: "Ratios", dependencies: ["Rows"]),
        // Repeats the operation of one row, for `instructions` to count.
        .executableTarget(
            name: "Instructions",
            dependencies: [.product(name: "Injectle", package: "Injectle")],
            // Valgrind does not read the debugging information that the compiler writes.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The settings of the library itself.
for target in package.targets {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}

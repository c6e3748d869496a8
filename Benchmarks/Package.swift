// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "InjectleBenchmarks",
    platforms: [.macOS(.v13)],
    dependencies: [
        // Named, since the identity of a package by path is the name of its folder, which may be any.
        .package(name: "Injectle", path: ".."),
        // No traits: they replace `malloc` and `swift_retain` by ones that count, which both sides of a ratio call.
        .package(url: "https://github.com/ordo-one/benchmark", from: "1.38.1", traits: []),
        .package(url: "https://github.com/HdrHistogram/hdrhistogram-swift", from: "0.2.0"),
    ],
    targets: [
        // The measured operations, and the libraries for comparison. It does not know how they are measured.
        .target(name: "Rows", dependencies: ["CMachine", .product(name: "Injectle", package: "Injectle")]),
        // What Swift does not see of the machine.
        .target(name: "CMachine"),
        // The plug-in takes for benchmarks the executables that lie directly in a folder called Benchmarks, as this
        // one.
        .executableTarget(
            name: "InjectleBenchmarks",
            dependencies: ["Rows", .product(name: "Benchmark", package: "benchmark")],
            path: "InjectleBenchmarks",
            plugins: [.plugin(name: "BenchmarkPlugin", package: "benchmark")]
        ),
        // Runs the work of one row, for `instructions` to count.
        .executableTarget(
            name: "Instructions",
            dependencies: ["Rows"],
            // Valgrind gives up on the debugging information that the compiler writes.
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]
        ),
        // Does the work of a row on two threads in turns, for `shared-writes`.
        .executableTarget(
            name: "SharedWrites",
            dependencies: ["Rows"],
            linkerSettings: [.unsafeFlags(["-Xlinker", "--strip-debug"], .when(platforms: [.linux]))]
        ),
        // Measures each replacement of a registration beside readers, for `writers`.
        .executableTarget(
            name: "Writers",
            dependencies: [
                "CMachine", .product(name: "Histogram", package: "hdrhistogram-swift"),
                .product(name: "Injectle", package: "Injectle"),
            ]
        ),
    ],
    swiftLanguageModes: [.v6]
)

// The settings of the library itself.
for target in package.targets where target.name != "CMachine" {
    var settings = target.swiftSettings ?? []
    settings.append(.enableUpcomingFeature("ExistentialAny"))
    settings.append(.enableUpcomingFeature("MemberImportVisibility"))
    settings.append(.enableUpcomingFeature("InternalImportsByDefault"))
    settings.append(.enableUpcomingFeature("NonisolatedNonsendingByDefault"))
    target.swiftSettings = settings
}

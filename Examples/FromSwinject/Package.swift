// swift-tools-version: 6.2

import PackageDescription

let package = Package(
    name: "FromSwinject",
    platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9), .visionOS(.v1)],
    products: [
        .library(name: "FromSwinject", targets: ["FromSwinject"])
    ],
    dependencies: [
        .package(name: "injectle", path: "../..")
    ],
    targets: [
        // The file to copy. In a program, the target can be named Swinject: then no import changes.
        .target(name: "FromSwinject", dependencies: [.product(name: "Injectle", package: "injectle")]),
        // A program with 60 registrations of Swinject.
        .target(name: "Bookshop", dependencies: ["FromSwinject"]),
        .testTarget(
            name: "FromSwinjectTests",
            dependencies: ["FromSwinject", .product(name: "Injectle", package: "injectle")]
        ),
        .testTarget(
            name: "BookshopTests",
            dependencies: [
                "Bookshop", "FromSwinject", .product(name: "Injectle", package: "injectle"),
                .product(name: "InjectleDiagnostics", package: "injectle"),
            ]
        ),
    ]
)

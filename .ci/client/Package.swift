// swift-tools-version: 6.2
import PackageDescription

// Where Apple has frameworks of these names, the tests use those.
let elsewhere: TargetDependencyCondition? = .when(platforms: [.linux, .windows, .android])

let package = Package(
    name: "Client",
    dependencies: [.package(path: "../StoreCore")],
    targets: [
        .testTarget(name: "AppTests", dependencies: [.product(name: "StoreCore", package: "StoreCore")]),
        .testTarget(
            name: "LegacyTests",
            dependencies: [
                .product(name: "StoreKit", package: "StoreCore", condition: elsewhere),
                .product(name: "StoreKitTest", package: "StoreCore", condition: elsewhere),
            ],
            resources: [.copy("Game.storekit")]
        ),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Client",
    dependencies: [.package(path: "../StoreCore")],
    targets: [
        .testTarget(name: "AppTests", dependencies: [.product(name: "StoreCore", package: "StoreCore")]),
        .testTarget(name: "LegacyTests", dependencies: [.product(name: "StoreKit", package: "StoreCore")]),
    ]
)

// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "App",
    dependencies: [.package(url: "https://github.com/StoreCore/StoreCore", from: "1.0.0")],
    targets: [
        .testTarget(
            name: "AppTests",
            dependencies: [
                .product(name: "StoreCore", package: "StoreCore"),
                .product(name: "StoreKit", package: "StoreCore"),
            ]
        )
    ]
)

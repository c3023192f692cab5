// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Neighbors",
    dependencies: [.package(url: Context.environment["STORECORE_URL"]!, "1.0.0"..<"100.0.0")],
    targets: [
        .target(name: "Shop", dependencies: [.product(name: "StoreKit", package: "StoreCore")]),
        // It sees the module StoreKit, on which it does not depend, as soon as that is built.
        .target(name: "Bystander"),
        // It includes headers of OpenSSL that StoreCrypto includes too.
        .target(name: "COpenSSL"),
        .target(
            name: "Verifier",
            dependencies: ["COpenSSL", .product(name: "StoreKit", package: "StoreCore")]
        ),
    ]
)

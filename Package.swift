// swift-tools-version: 6.3
import PackageDescription

// Warnings are errors in this package's own checks only: tools that build a package by its URL suppress warnings, which the
// compiler refuses beside this setting.
let warnings: [SwiftSetting] =
    Context.environment["STORECORE_STRICT"] == nil ? [] : [.treatAllWarnings(as: .error)]
let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + warnings

let package = Package(
    name: "StoreCore",
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .watchOS(.v11), .visionOS(.v2)],
    products: [
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "StoreKit", targets: ["StoreKit"]),
        .library(name: "StoreKitTest", targets: ["StoreKitTest"]),
        .library(name: "StoreContract", targets: ["StoreContract"]),
        .library(name: "StoreScenario", targets: ["StoreScenario"]),
        .library(name: "StoreSimulator", targets: ["StoreSimulator"]),
        .library(name: "StoreCrypto", targets: ["StoreCrypto"]),
        .library(name: "StoreSQLite", targets: ["StoreSQLite"]),
        .library(name: "StorePostgres", targets: ["StorePostgres"]),
        .library(name: "StoreRemote", targets: ["StoreRemote"]),
        .library(name: "StoreServer", targets: ["StoreServer"]),
        .executable(name: "sandbox-store", targets: ["sandbox-store"]),
    ],
    targets: [
        .target(name: "StoreCore", swiftSettings: settings),
        .target(
            name: "StoreKit",
            dependencies: ["StoreCore", "StoreCrypto"],
            // Its calls run where the app makes them, which is the main actor for purchases: a change of threads costs
            // more than a purchase.
            swiftSettings: settings + [.enableUpcomingFeature("NonisolatedNonsendingByDefault")]
        ),
        .target(
            name: "StoreKitTest",
            dependencies: ["StoreKit", "StoreCore", "StoreCrypto"],
            swiftSettings: settings
        ),
        .target(name: "StoreContract", dependencies: ["StoreCore"], swiftSettings: settings),
        // Counts as absent where its headers are: StoreCrypto is then built without it, and everything else as ever.
        .systemLibrary(name: "CLibcrypto"),
        .target(name: "StoreCrypto", dependencies: ["StoreCore", "CLibcrypto"], swiftSettings: settings),
        // The same for StoreSQLite.
        .systemLibrary(name: "CSQLite"),
        .target(name: "StoreSQLite", dependencies: ["StoreCore", "CSQLite"], swiftSettings: settings),
        // The same for StorePostgres.
        .systemLibrary(name: "CPostgres"),
        .target(name: "StorePostgres", dependencies: ["StoreCore", "CPostgres"], swiftSettings: settings),
        // A PostgreSQL server in a temporary folder.
        .target(name: "PostgresCluster", dependencies: ["StoreCore"], swiftSettings: settings),
        .target(name: "StoreRemote", dependencies: ["StoreCore"], swiftSettings: settings),
        // The same for StoreServer.
        .systemLibrary(name: "CMicroHTTPD"),
        .target(
            name: "StoreServer",
            dependencies: ["StoreCore", "StoreCrypto", "StoreRemote", "StoreScenario", "CMicroHTTPD"],
            swiftSettings: settings
        ),
        // A disk under SQLite that fails, tears and dies.
        .target(name: "SQLiteFaults", dependencies: ["StoreCore", "CSQLite"], swiftSettings: settings),
        .executableTarget(
            name: "crash-test",
            dependencies: ["StoreCore", "StoreContract", "StoreKit", "StoreSQLite"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "cluster-test",
            dependencies: [
                "StoreCore", "StoreSQLite", "StorePostgres", "StoreRemote", "StoreServer", "StoreSimulator",
                "PostgresCluster", "CPostgres",
            ],
            swiftSettings: settings
        ),
        .target(name: "StoreScenario", dependencies: ["StoreCore"], swiftSettings: settings),
        .target(
            name: "StoreSimulator",
            dependencies: ["StoreCore", "StoreContract", "StoreKit", "StoreScenario"],
            swiftSettings: settings
        ),
        .target(
            name: "StoreSimulatorSQLite",
            dependencies: ["StoreCore", "StoreSimulator", "StoreSQLite", "CSQLite", "SQLiteFaults"],
            swiftSettings: settings
        ),
        .target(
            name: "StoreSimulatorPostgres",
            dependencies: ["StoreCore", "StoreSimulator", "StorePostgres", "PostgresCluster"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "store-bench",
            dependencies: [
                "StoreCore", "StoreCrypto", "StoreKit", "StoreRemote", "StoreServer", "StoreSimulator", "StoreSQLite",
                "StorePostgres", "PostgresCluster", "CLibcrypto", "CMicroHTTPD", "CPostgres", "CSQLite",
            ],
            swiftSettings: settings
        ),
        // Apps with the mistakes that users complain of, and the same apps without them.
        .target(
            name: "AppGallery",
            dependencies: ["StoreCore", "StoreKit", "StoreSimulator"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "app-gallery",
            dependencies: ["AppGallery", "StoreSimulator"],
            swiftSettings: settings
        ),
        // `.ci/fuzz` builds it with libFuzzer.
        .executableTarget(
            name: "store-fuzz",
            dependencies: ["StoreCore", "StoreCrypto", "StoreRemote", "StoreServer"],
            swiftSettings: settings
        ),
        // What `.ci/judges` has judged.
        .executableTarget(name: "sign-samples", dependencies: ["StoreCore", "StoreCrypto"], swiftSettings: settings),
        // What it asks, and what `.ci/soak` kills.
        .executableTarget(
            name: "server-samples",
            dependencies: ["StoreCore", "StoreCrypto", "StoreServer", "StoreSQLite"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "sandbox-store",
            dependencies: [
                "StoreCore", "StoreCrypto", "StorePostgres", "StoreScenario", "StoreServer", "StoreSQLite",
                "StoreSimulator", "StoreSimulatorPostgres", "StoreSimulatorSQLite",
            ],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),
        // What tests of several modules share.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "StoreCoreTests",
            dependencies: ["StoreCore"],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "APITesterTests",
            dependencies: ["StoreKit"],
            exclude: ["surface.txt"],
            swiftSettings: warnings
        ),
        .testTarget(
            name: "StoreKitTests",
            dependencies: ["StoreKit", "StoreKitTest", "StoreContract", "StoreCore", "StoreCrypto"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreKitTestTests",
            dependencies: ["StoreKitTest", "StoreCore", "StoreCrypto"],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),
        .testTarget(name: "StoreContractTests", dependencies: ["StoreContract"], swiftSettings: settings),
        .testTarget(name: "StoreCryptoTests", dependencies: ["StoreCrypto", "StoreCore"], swiftSettings: settings),
        .testTarget(
            name: "StoreSQLiteTests",
            dependencies: [
                "StoreSQLite", "StoreCore", "CSQLite", "SQLiteFaults", "StoreSimulator", "StoreSimulatorSQLite",
                "crash-test",
            ],
            resources: [.copy("Golden")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorePostgresTests",
            dependencies: [
                "StorePostgres", "StoreCore", "StoreContract", "StoreSimulator", "StoreSimulatorPostgres",
                "PostgresCluster", "CPostgres",
            ],
            exclude: ["Mutations"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreScenarioTests",
            dependencies: ["StoreScenario", "StoreContract", "StoreCore", "StoreSimulator"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreServerTests",
            dependencies: [
                "StoreServer", "StoreCore", "StoreCrypto", "StoreScenario", "StoreSQLite", "CMicroHTTPD", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreRemoteTests",
            dependencies: [
                "StoreRemote", "StoreContract", "StoreCore", "StoreCrypto", "StoreKit", "StoreServer", "StoreSQLite",
                "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreSimulatorTests",
            dependencies: ["AppGallery", "StoreSimulator", "StoreContract", "StoreCore"],
            exclude: ["Mutations"],
            swiftSettings: settings
        ),
        .testTarget(name: "StoreBenchTests", dependencies: ["store-bench"], swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "AppGallery", "PostgresCluster", "StoreCore", "StoreContract", "StoreCrypto", "StorePostgres",
                "StoreSimulator", "StoreSimulatorSQLite", "StoreKit", "StoreKitTest", "StoreRemote", "StoreScenario",
                "StoreSQLite", "StoreServer", "CSQLite",
            ],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "SandboxStoreTests",
            dependencies: [
                "sandbox-store", "PostgresCluster", "StoreContract", "StoreCore", "StoreCrypto", "StorePostgres",
                "StoreRemote", "StoreScenario", "StoreServer", "StoreSimulator", "StoreSQLite", "TestSupport",
            ],
            resources: [.copy("Golden")],
            swiftSettings: settings
        ),
    ],
    swiftLanguageModes: [.v6]
)

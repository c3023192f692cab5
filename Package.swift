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
    // The oldest systems that have what is called, and no claim that anything is tested there: that is Linux, see the article
    // MovingCodeOver. Without watchOS, where an `Int` may have 32 bits.
    platforms: [.macOS(.v15), .iOS(.v18), .tvOS(.v18), .visionOS(.v2)],
    products: [
        .library(name: "StoreCore", targets: ["StoreCore"]),
        .library(name: "StoreKit", targets: ["StoreKit"]),
        .library(name: "StoreKitTest", targets: ["StoreKitTest"]),
        .library(name: "StoreContract", targets: ["StoreContract"]),
        .library(name: "StoreScenario", targets: ["StoreScenario"]),
        // Whoever simulates an app has its dispatch queues answered, which the package's own tool goes without.
        .library(name: "StoreSimulator", targets: ["StoreSimulator", "CDispatchOverrides"]),
        .library(name: "StoreCrypto", targets: ["StoreCrypto"]),
        .library(name: "StoreSQLite", targets: ["StoreSQLite"]),
        .library(name: "StorePostgres", targets: ["StorePostgres"]),
        .library(name: "StoreRemote", targets: ["StoreRemote"]),
        .library(name: "StoreServer", targets: ["StoreServer"]),
        .library(name: "StoreEndToEnd", targets: ["StoreEndToEnd", "CDispatchOverrides"]),
        .executable(name: "sandbox-store", targets: ["sandbox-store"]),
    ],
    targets: [
        // MARK: What is shipped

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
        .target(name: "StoreScenario", dependencies: ["StoreCore", "StoreContract"], swiftSettings: settings),
        // What StoreSimulator asks of libdispatch, and is asked instead of it. Empty where there is no glibc, as is the
        // next one, whose functions precede libdispatch's in every executable that links it.
        .target(name: "CDispatchHooks"),
        .target(name: "CDispatchOverrides", dependencies: ["CDispatchHooks"]),
        .target(
            name: "StoreSimulator",
            dependencies: ["StoreCore", "StoreContract", "StoreScenario", "CDispatchHooks"],
            swiftSettings: settings
        ),
        // Where a C library's headers are missing, the module beside it is built without it.
        .systemLibrary(name: "CLibcrypto"),
        .target(name: "StoreCrypto", dependencies: ["StoreCore", "CLibcrypto"], swiftSettings: settings),
        .systemLibrary(name: "CSQLite"),
        .target(name: "StoreSQLite", dependencies: ["StoreCore", "CSQLite"], swiftSettings: settings),
        .systemLibrary(name: "CPostgres"),
        .target(name: "StorePostgres", dependencies: ["StoreCore", "CPostgres"], swiftSettings: settings),
        .target(name: "StoreRemote", dependencies: ["StoreCore"], swiftSettings: settings),
        .systemLibrary(name: "CMicroHTTPD"),
        .target(
            name: "StoreServer",
            dependencies: [
                "StoreCore", "StoreContract", "StoreCrypto", "StoreRemote", "StoreScenario", "CMicroHTTPD",
            ],
            resources: [.embedInCode("Console/Page")],
            swiftSettings: settings
        ),
        .target(
            name: "StoreEndToEnd",
            dependencies: ["StoreCore", "StoreServer", "StoreSimulator"],
            swiftSettings: settings
        ),
        .executableTarget(
            name: "sandbox-store",
            dependencies: [
                "StoreCore", "StoreCrypto", "StoreKit", "StorePostgres", "StoreRemote", "StoreScenario", "StoreServer",
                "StoreSimulator", "StoreSQLite",
            ],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),

        // MARK: What proves and measures

        // A model of the store, and runs of apps and a store of ours that have to agree with it.
        .target(
            name: "ModelSimulator",
            dependencies: [
                "StoreCore", "StoreContract", "StoreKit", "StorePostgres", "StoreScenario", "StoreSimulator",
                "StoreSQLite", "CDispatchOverrides", "CSQLite", "PostgresCluster", "SQLiteFaults",
            ],
            path: "Tests/Programs/ModelSimulator",
            swiftSettings: settings
        ),
        // Performs the runs.
        .executableTarget(
            name: "simulate",
            dependencies: ["ModelSimulator", "StorePostgres", "StoreSQLite"],
            path: "Tests/Programs/simulate",
            swiftSettings: settings
        ),
        // A disk under SQLite that fails, tears and dies.
        .target(
            name: "SQLiteFaults",
            dependencies: ["StoreCore", "CSQLite"],
            path: "Tests/Programs/SQLiteFaults",
            swiftSettings: settings
        ),
        // A PostgreSQL server in a temporary folder.
        .target(
            name: "PostgresCluster",
            dependencies: ["StoreCore"],
            path: "Tests/Programs/PostgresCluster",
            swiftSettings: settings
        ),
        // An app on a file, which is killed.
        .executableTarget(
            name: "crash-test",
            dependencies: ["StoreCore", "StoreContract", "StoreKit", "StoreSQLite"],
            path: "Tests/Programs/crash-test",
            swiftSettings: settings
        ),
        // Servers and apps on one PostgreSQL ledger, which are killed and cut off.
        .executableTarget(
            name: "cluster-test",
            dependencies: [
                "StoreCore", "StoreSQLite", "StorePostgres", "StoreRemote", "StoreServer", "ModelSimulator",
                "PostgresCluster", "CPostgres",
            ],
            path: "Tests/Programs/cluster-test",
            swiftSettings: settings
        ),
        // Apps with the mistakes that users complain of, and the same apps without them.
        .target(
            name: "AppGallery",
            dependencies: ["StoreCore", "StoreKit", "StoreSimulator", "CDispatchOverrides"],
            path: "Tests/Programs/AppGallery",
            swiftSettings: settings
        ),
        // A library of callbacks on the main queue, as they were written before Swift 6.
        .target(
            name: "CallbackShop",
            dependencies: ["StoreKit"],
            path: "Tests/Programs/CallbackShop",
            swiftSettings: warnings + [.swiftLanguageMode(.v5)]
        ),
        .executableTarget(
            name: "app-gallery",
            dependencies: ["AppGallery", "StoreSimulator"],
            path: "Tests/Programs/app-gallery",
            swiftSettings: settings
        ),
        // `.ci/fuzz` builds it with libFuzzer.
        .executableTarget(
            name: "store-fuzz",
            dependencies: ["StoreCore", "StoreCrypto", "StoreRemote", "StoreServer"],
            path: "Tests/Programs/store-fuzz",
            swiftSettings: settings
        ),
        // What `.ci/judges` has judged.
        .executableTarget(
            name: "sign-samples",
            dependencies: ["StoreCore", "StoreCrypto"],
            path: "Tests/Programs/sign-samples",
            swiftSettings: settings
        ),
        // What it asks, and what `.ci/soak` kills.
        .executableTarget(
            name: "server-samples",
            dependencies: ["StoreCore", "StoreCrypto", "StoreServer", "StoreSQLite"],
            path: "Tests/Programs/server-samples",
            swiftSettings: settings
        ),
        // Figures, each beside a floor.
        .executableTarget(
            name: "store-bench",
            dependencies: [
                "StoreCore", "StoreCrypto", "StoreKit", "StoreRemote", "StoreServer", "StoreSimulator", "StoreSQLite",
                "StorePostgres", "PostgresCluster", "CDispatchOverrides", "CLibcrypto", "CMicroHTTPD", "CPostgres",
                "CSQLite",
            ],
            path: "Tests/Programs/store-bench",
            swiftSettings: settings
        ),
        // What tests of several modules share.
        .target(
            name: "TestSupport",
            dependencies: ["StoreCore"],
            path: "Tests/TestSupport",
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreCoreTests",
            dependencies: ["StoreCore", "TestSupport"],
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
            dependencies: ["StoreKit", "StoreKitTest", "StoreContract", "StoreCore", "StoreCrypto", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreKitTestTests",
            dependencies: ["StoreKitTest", "StoreCore", "StoreCrypto", "TestSupport"],
            resources: [.copy("Resources")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreContractTests",
            dependencies: ["StoreContract", "StoreCore", "TestSupport"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreCryptoTests",
            dependencies: ["StoreCrypto", "StoreCore", "TestSupport"],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreSQLiteTests",
            dependencies: [
                "StoreSQLite", "StoreCore", "CSQLite", "SQLiteFaults", "ModelSimulator", "TestSupport", "crash-test",
            ],
            resources: [.copy("Golden")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StorePostgresTests",
            dependencies: [
                "StorePostgres", "StoreCore", "StoreContract", "ModelSimulator", "PostgresCluster", "CPostgres",
                "TestSupport",
            ],
            exclude: ["Golden", "Mutations"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreScenarioTests",
            dependencies: [
                "StoreScenario", "StoreContract", "StoreCore", "StoreSimulator", "ModelSimulator", "TestSupport",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreServerTests",
            dependencies: [
                "StoreServer", "StoreCore", "StoreCrypto", "StoreScenario", "StoreSQLite", "CMicroHTTPD", "TestSupport",
            ],
            exclude: ["Golden"],
            resources: [.copy("Simulation/Server")],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreRemoteTests",
            dependencies: [
                "StoreRemote", "StoreContract", "StoreCore", "StoreCrypto", "StoreKit", "StoreServer", "StoreSQLite",
                "TestSupport",
            ],
            exclude: ["Golden"],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreSimulatorTests",
            dependencies: [
                "AppGallery", "CallbackShop", "StoreSimulator", "StoreContract", "StoreCore", "StoreScenario",
                "CDispatchOverrides", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "StoreEndToEndTests",
            dependencies: [
                "StoreEndToEnd", "StoreContract", "StoreCore", "StoreCrypto", "StoreKit", "StoreServer",
                "StoreSimulator", "CDispatchOverrides", "TestSupport",
            ],
            swiftSettings: settings
        ),
        .testTarget(
            name: "ModelSimulatorTests",
            dependencies: ["ModelSimulator", "StoreContract", "StoreCore", "simulate"],
            exclude: ["Mutations"],
            swiftSettings: settings
        ),
        .testTarget(name: "StoreBenchTests", dependencies: ["store-bench"], swiftSettings: settings),
        .testTarget(
            name: "DocumentationTests",
            dependencies: [
                "AppGallery", "ModelSimulator", "PostgresCluster", "StoreCore", "StoreContract", "StoreCrypto",
                "StorePostgres",
                "StoreSimulator", "StoreKit", "StoreKitTest", "StoreRemote", "StoreScenario", "StoreSQLite",
                "StoreServer",
                "CSQLite",
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

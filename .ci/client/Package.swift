// swift-tools-version: 6.2
import PackageDescription

// Where Apple has frameworks of these names, the targets use those.
let elsewhere: TargetDependencyCondition? = .when(platforms: [.linux])
let storeKit: Target.Dependency = .product(name: "StoreKit", package: "StoreCore", condition: elsewhere)
let storeCore: Target.Dependency = .product(name: "StoreCore", package: "StoreCore", condition: elsewhere)
let storeKitTest: Target.Dependency = .product(name: "StoreKitTest", package: "StoreCore", condition: elsewhere)

let package = Package(
    name: "Client",
    dependencies: [.package(path: "../StoreCore")],
    targets: [
        .testTarget(
            name: "AppTests",
            dependencies: [
                .product(name: "StoreCore", package: "StoreCore"),
                .product(name: "StoreKit", package: "StoreCore"),
            ]
        ),
        .testTarget(
            name: "LegacyTests",
            dependencies: [
                .product(name: "StoreKit", package: "StoreCore", condition: elsewhere),
                .product(name: "StoreKitTest", package: "StoreCore", condition: elsewhere),
                .product(name: "StoreCore", package: "StoreCore", condition: elsewhere),
            ],
            resources: [.copy("Game.storekit")]
        ),

        // What a server is given to verify.
        .executableTarget(
            name: "Sell",
            dependencies: [
                .product(name: "StoreCore", package: "StoreCore"),
                .product(name: "StoreCrypto", package: "StoreCore"),
            ]
        ),

        // As written before there was Swift concurrency: a singleton and its delegate.
        .target(
            name: "IAPManager",
            dependencies: [storeKit],
            resources: [.copy("ProductIdentifiers.plist")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "IAPManagerTests",
            dependencies: ["IAPManager", storeKitTest, storeCore],
            resources: [.copy("Armoury.storekit")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),

        // A program of its own, which runs the main queue itself.
        .executableTarget(name: "Kiosk", dependencies: ["IAPManager"], swiftSettings: [.swiftLanguageMode(.v5)]),
        .testTarget(name: "KioskTests", dependencies: ["Kiosk"], resources: [.copy("Kiosk.storekit")]),

        // Completion handlers, and nothing believed that the receipt does not say.
        .target(
            name: "PurchaseService",
            dependencies: [storeKit, storeCore],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),
        .testTarget(
            name: "PurchaseServiceTests",
            dependencies: ["PurchaseService", storeKitTest, storeCore],
            resources: [.copy("Newsstand.storekit")],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),

        // Continuations, in Swift 6.
        .target(name: "AsyncStore", dependencies: [storeKit]),
        .testTarget(
            name: "AsyncStoreTests",
            dependencies: ["AsyncStore", storeKitTest, storeCore],
            resources: [.copy("Stage.storekit")]
        ),

        // Store Kit 2: an actor, an observable model, functions, a cache, and a library that wraps both faces.
        .target(name: "StoreActor", dependencies: [storeKit]),
        .target(name: "ObservableShop", dependencies: [storeKit]),
        .target(name: "StoreHelper", dependencies: [storeKit]),
        .target(name: "Entitlements", dependencies: [storeKit]),
        .target(name: "TwoFaces", dependencies: [storeKit]),
        .testTarget(
            name: "StoreKit2Tests",
            dependencies: [
                "StoreActor", "ObservableShop", "StoreHelper", "Entitlements", "TwoFaces", storeKit, storeCore,
            ]
        ),

        // The bridges of other frameworks, which use nearly every name: types of a store of any kind, in whose module
        // Store Kit's stand behind the module's name; a class around each value; JSON; and what toolkits for Swift add.
        .target(name: "CrossStore", dependencies: [storeKit], swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "ObjectWrappers", dependencies: [storeKit], swiftSettings: [.swiftLanguageMode(.v5)]),
        .target(name: "WireFormat", dependencies: [storeKit]),
        .target(name: "Toolkits", dependencies: [storeKit]),
        .testTarget(
            name: "PublicFormTests",
            dependencies: ["CrossStore", "ObjectWrappers", "WireFormat", "Toolkits", storeKit, storeCore],
            swiftSettings: [.swiftLanguageMode(.v5)]
        ),

        // An app under the simulator.
        .testTarget(
            name: "SimulatedAppTests",
            dependencies: [.product(name: "StoreSimulator", package: "StoreCore"), storeKit, storeCore]
        ),

        // Ten small apps, written by people who had only README.md: an observer object, an actor, an observable paywall, a
        // plugin with method calls and events, completion handlers, a kiosk, a game, a magazine, a family's plan; and a server.
        .target(name: "CoinShopApp", dependencies: [storeKit]),
        .testTarget(name: "CoinShopAppTests", dependencies: ["CoinShopApp", storeKit, storeCore]),
        .target(name: "ClubStoreApp", dependencies: [storeKit]),
        .testTarget(name: "ClubStoreAppTests", dependencies: ["ClubStoreApp", storeKit, storeCore]),
        .target(name: "PaywallApp", dependencies: [storeKit]),
        .testTarget(name: "PaywallAppTests", dependencies: ["PaywallApp", storeKit, storeCore]),
        .target(name: "ChannelPluginApp", dependencies: [storeKit]),
        .testTarget(name: "ChannelPluginAppTests", dependencies: ["ChannelPluginApp", storeKit, storeCore]),
        .target(name: "CallbackStoreApp", dependencies: [storeKit]),
        .testTarget(name: "CallbackStoreAppTests", dependencies: ["CallbackStoreApp", storeKit, storeCore]),
        .target(name: "KioskApp", dependencies: [storeKit]),
        .testTarget(name: "KioskAppTests", dependencies: ["KioskApp", storeKit, storeCore]),
        .target(name: "GemGameApp", dependencies: [storeKit]),
        .testTarget(
            name: "GemGameAppTests",
            dependencies: ["GemGameApp", .product(name: "StoreSimulator", package: "StoreCore"), storeKit, storeCore]
        ),
        .target(name: "MagazineApp", dependencies: [storeKit]),
        .testTarget(name: "MagazineAppTests", dependencies: ["MagazineApp", storeKit, storeCore]),
        .target(name: "FamilyPlanApp", dependencies: [storeKit]),
        .testTarget(name: "FamilyPlanAppTests", dependencies: ["FamilyPlanApp", storeKit, storeCore]),
        .target(name: "HookServerApp"),
        .testTarget(
            name: "HookServerAppTests",
            dependencies: [
                "HookServerApp", .product(name: "StoreServer", package: "StoreCore"),
                .product(name: "StoreCrypto", package: "StoreCore"), storeKit, storeCore,
            ]
        ),
    ]
)

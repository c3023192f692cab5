import StoreCore

/// A store with two accounts that may be a family, each with an app that is running.
struct Household {
    let market: Market
    let anna: SandboxAccount
    let bob: SandboxAccount
    let annasApp: App
    let bobsApp: App
    let tablet: SandboxDevice

    static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("album", price: "3.99", isFamilyShareable: true),
        .nonConsumable("diary", price: "2.99"),
        .nonRenewing("lessons", price: "19.99", isFamilyShareable: true),
        plan("tv.monthly", level: 2, isShared: true),
        plan("cinema.monthly", level: 1, isShared: true),
        plan("solo.monthly", level: 1),
    ]

    private static func plan(_ name: String, level: Int, isShared: Bool = false) -> SandboxProduct {
        .autoRenewable(
            name,
            price: "9.99",
            period: .init(1, .month),
            group: "plans",
            level: level,
            isFamilyShareable: isShared
        )
    }

    /// With the two in a family unless told otherwise, of which the first account is the organizer.
    init(isFamily: Bool = true, ledger: any Ledger = MemoryLedger()) throws {
        market = try Market(Self.products, ledger: ledger)
        anna = market.store.account
        bob = try market.store.addAccount("bob")
        tablet = try market.store.addDevice("tablet", signedInTo: bob)
        annasApp = App(on: market.store)
        bobsApp = App(on: tablet)
        if isFamily { try market.store.addFamily("smiths", organizer: anna).add(bob) }
    }

    var store: SandboxStore { market.store }

    /// What bob's app has heard, call by call.
    var heard: [[Heard]] { bobsApp.recorder.callbacks }

    /// What bob's app hears while something happens, call by call.
    func told(_ act: () throws -> Void) rethrows -> [[Heard]] {
        annasApp.recorder.clear()
        return try bobsApp.told(act)
    }

    /// What both apps heard is forgotten.
    func clear() {
        annasApp.recorder.clear()
        bobsApp.recorder.clear()
    }
}

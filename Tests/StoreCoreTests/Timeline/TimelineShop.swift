import Foundation
import StoreCore

/// A store with two families' worth of events: two accounts with a device each, and a server that is notified.
struct TimelineShop {
    let market: Market
    let phone: App
    let tablet: App

    var store: SandboxStore { market.store }

    init(ledger: any Ledger = MemoryLedger()) throws {
        market = try Market(
            [
                .consumable("sword", price: "0.99"), .nonConsumable("game", price: "4.99"),
                Market.subscription("gold", level: 1, price: "9.99", .init(1, .month)),
            ],
            ledger: ledger
        )
        let (alice, ben) = (try market.store.addAccount("alice"), try market.store.addAccount("ben"))
        try ServerView(market.store).beginNotifications()
        market.store.tracesDeliveries = true
        phone = App(on: try market.store.addDevice("phone", signedInTo: alice))
        tablet = App(on: try market.store.addDevice("tablet", signedInTo: ben))
    }

    /// Lets happen what a picture has to show: #1 gold, #2 a sword that a parent approves, #3 refused, #4 and #5 renewals.
    func live() throws {
        phone.buy("gold")
        try store.account(named: "ben")?.setAsksToBuy(true)
        tablet.buy("sword")
        market.clock.advance(by: 4 * 3_600)
        try store.decide("2", as: .approve)
        tablet.queue.settle()
        phone.buy("dragon")
        market.advance(to: "2025-03-05T00:00:00Z")
        phone.queue.settle()
        try store.refund("2")
        tablet.queue.settle()
    }

    /// Lets devices buy in turn, every few seconds.
    func sell(_ count: Int) {
        for number in 0..<count {
            market.clock.advance(by: 7)
            (number % 2 == 0 ? phone : tablet).buy(number % 3 == 0 ? "game" : "sword")
        }
    }
}

extension SandboxTimeline {
    /// The places of the events about a transaction that are of a kind.
    func places(_ kind: Entry.Kind, _ transaction: String) -> [Int] {
        entries.indices.filter { entries[$0].kind == kind && entries[$0].transaction == transaction }
    }

    /// The kinds and transactions of what led to an event, as in `sale #1`.
    func sources(of place: Int) -> [String] {
        links.filter { $0.target == place }.map { link in
            "\(entries[link.source].kind) #\(entries[link.source].transaction ?? "")"
        }
    }
}

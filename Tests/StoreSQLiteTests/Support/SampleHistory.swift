import Foundation
import StoreCore

/// A history with nearly every event that a ledger can hold.
enum SampleHistory {
    static func record(on ledger: any Ledger) throws {
        let time = ManualClock()
        let store = try SandboxStore(
            products: Shop.products,
            clock: time,
            ledger: ledger,
            authorizer: Authorizer { $0.productIdentifier == "season" ? .later : .approve }
        )
        let journal = MemoryJournal(firstID: JournalID(rawValue: .max - 9))
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: .inline, log: .silent)
        let shopper = Shopper(finishes: true)
        queue.add(shopper)
        let payment = SKMutablePayment(productIdentifier: "sword")
        payment.quantity = 3
        payment.applicationUsername = "üser 漢字 \u{0}"
        queue.add(payment)
        for product in ["full.game", "gold", "season", "season", "dragon"] {
            queue.add(SKPayment(productIdentifier: product))
        }
        try store.decide(store.undecidedRequests[0].transaction, as: .approve)
        try store.decide(store.undecidedRequests[0].transaction, as: .decline())
        time.advance(by: 100 * 86_400)
        queue.restoreCompletedTransactions()
        try store.register(.consumable("axe", price: "0.10"))
        try store.setAvailability(.withdrawn, of: "axe")
        try store.setPaymentsAllowed(false)
        queue.add(SKPayment(productIdentifier: "sword"))
        try store.setPaymentsAllowed(true)
        try store.setStorefront("DEU")
        let account = try store.addAccount("alice")
        let tablet = try store.addDevice("tablet", signedInTo: account)
        try tablet.signOut()
        try account.setAsksToBuy(true)
        try account.buy("full.game")
        withExtendedLifetime(shopper) {}
    }
}

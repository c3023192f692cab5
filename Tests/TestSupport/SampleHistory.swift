import Foundation
import StoreCore

/// A history with nearly every event that a ledger can hold.
package enum SampleHistory {
    package static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"),
        .nonConsumable("full.game", price: "4.99"),
        .nonRenewing("season", price: "2.99"),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "club"),
    ]

    package static func record(on ledger: any Ledger) throws {
        let time = ManualClock()
        let store = try SandboxStore(
            products: products,
            clock: time,
            ledger: ledger,
            authorizer: Authorizer { $0.productIdentifier == "season" ? .later : .approve }
        )
        let journal = MemoryJournal(firstID: JournalID(rawValue: .max - 9))
        let queue = SKPaymentQueue(backend: store, journal: journal, delivery: .inline, log: .silent)
        let shopper = FinishingObserver()
        queue.add(shopper)
        let payment = SKMutablePayment(productIdentifier: "sword")
        payment.quantity = 3
        payment.applicationUsername = "üser 漢字 \u{0}"
        queue.add(payment)
        for product in ["full.game", "gold", "season", "season", "dragon"] {
            queue.add(SKPayment(productIdentifier: product))
        }
        try store.approve(store.undecidedRequests[0])
        try store.decline(store.undecidedRequests[0])
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

    /// Records the history with a snapshot in it, and commands in a journal that no store has seen.
    ///
    /// - Returns: the store's transactions, see ``transactions(of:)``.
    package static func record(on ledger: any DurableLedger, _ journal: any QueueJournal) throws -> String {
        let ledger = FrequentLedger(ledger)
        try record(on: ledger)
        let id = try journal.open {}.id
        var payment = StorePayment(productIdentifier: "sword")
        payment.quantity = 2
        payment.applicationUsername = "üser"
        let actions: [StoreCommand.Action] = [
            .purchase(payment), .finish(transaction: "1"), .purchase(StorePayment(productIdentifier: "sword")),
        ]
        try journal.record(
            actions.enumerated().map { StoreCommand(id: OrderID(journal: id, number: $0 + 1), action: $1) }
        )
        return try transactions(of: SandboxStore(ledger: ledger))
    }

    /// Returns a line for each transaction, which every version of the package writes in the same way.
    package static func transactions(of store: SandboxStore) throws -> String {
        try store.transactions.map { transaction in
            let parts: [String] = [
                "\(transaction)", "\(transaction.date.timeIntervalSinceReferenceDate)",
                transaction.chargedAmount.map { "\($0)" } ?? "-", transaction.failure.map { "\($0)" } ?? "-",
            ]
            return parts.joined(separator: " ") + "\n"
        }.joined()
    }
}

/// An observer that finishes what is decided, and notes what it hears.
package final class FinishingObserver: NSObject, SKPaymentTransactionObserver, @unchecked Sendable {
    // unchecked: what it heard is behind the lock.
    private let heard = Locked<[String]>([])

    /// Each as in "sword purchased" or "sword removed".
    package var history: [String] { heard.withLock { $0 } }

    package func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let state = transaction.transactionState
            heard.withLock { $0.append("\(transaction.payment.productIdentifier) \(state)") }
            if state != .purchasing, state != .deferred { queue.finishTransaction(transaction) }
        }
    }

    package func paymentQueue(_ queue: SKPaymentQueue, removedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            heard.withLock { $0.append("\(transaction.payment.productIdentifier) removed") }
        }
    }
}

/// A ledger with a snapshot after every sixteen records.
package final class FrequentLedger: DurableLedger {
    private let ledger: any DurableLedger

    package init(_ ledger: any DurableLedger) { self.ledger = ledger }

    package var snapshotDistance: Int { 16 }
    package var lane: BackendLane { ledger.lane }
    package var head: Int { get throws { try ledger.head } }
    package func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        try ledger.append(records, ifHeadIs: head)
    }
    package func commit() throws { try ledger.commit() }
    package func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        try ledger.read(after: position, limit: limit)
    }
    package func snapshot() throws -> LedgerSnapshot? { try ledger.snapshot() }
    package func keep(_ snapshot: LedgerSnapshot) throws { try ledger.keep(snapshot) }
}

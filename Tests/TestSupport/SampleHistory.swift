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
        try buyPlans(for: account, in: store, time)
        try buyByRequests(for: account, in: store, time)
        try serve(account, in: store)
        try store.account.setInterruptsPurchases(true)
        queue.add(SKPayment(productIdentifier: "sword"))
        for purchase in store.interruptedPurchases { try store.resolveInterruption(of: purchase.transaction) }
        try store.account.setInterruptsPurchases(false)
        store.externalPurchases = ExternalPurchaseSettings(presentsNotice: true, tokenLifetime: 31 * 86_400)
        _ = try store.device.external(ExternalRequest(.notice))
        withExtendedLifetime(shopper) {}
    }

    /// Records a bundle, a commitment, an offer, failing charges, a higher price and refunds of a part.
    private static func buyPlans(for account: SandboxAccount, in store: SandboxStore, _ time: ManualClock) throws {
        let month = StoreProduct.Period(1, .month)
        try store.register(.autoRenewable("news", price: "2.99", period: month, group: "papers"))
        try store.register(
            .subscriptionBundle("both", price: "9.99", period: month, group: "bundles", members: ["news", "gold"])
        )
        let year = SandboxProduct.autoRenewable(
            "year",
            price: "59.99",
            period: .init(1, .year),
            group: "years",
            offerCodes: [.freeTrial(month, identifier: "SPRING", eligibility: .all, isStackable: true)]
        )
        try store.register(year.billedMonthly(price: "5.99"))
        try account.buy("both")
        var payment = StorePayment(productIdentifier: "year")
        payment.billingPlan = .monthly
        let first = try account.buy(payment)
        time.advance(by: 40 * 86_400)
        try store.refund(first, percentage: 50)
        try store.setGrantsGracePeriod(true)
        try account.setBillingFails(true)
        time.advance(by: 40 * 86_400)
        try account.setBillingFails(false)
        time.advance(by: 40 * 86_400)
        try account.buy("news")
        try store.raisePrice(of: "news", to: "3.99")
        try account.requestPriceIncreaseConsent(inGroup: "papers")
        try account.answerPriceConsent(.agree, inGroup: "papers")
        try account.setAutoRenew(false, inGroup: "years")
        try store.setRenewalLimit(2)
        try account.forceRenewal(inGroup: "bundles")
        try store.setRenewalLimit(nil)
    }

    /// Records purchases of generic products by signed requests, and what a server asks for about them.
    private static func buyByRequests(for account: SandboxAccount, in store: SandboxStore, _ time: ManualClock) throws {
        let pass = "com.example.app.aca.generic.subscription"
        var product = SandboxProduct.autoRenewable(pass, price: "0.29", period: .init(1, .month), group: "requests")
        product.isAdvancedCommerce = true
        try store.register(product)
        let items = ["sports", "films"].map { sku in
            #"{"SKU": "\#(sku)", "displayName": "\#(sku)", "description": "漢", "price": 9990}"#
        }
        /// Each request has another identifier.
        func reference() -> String { #""requestInfo": {"requestReferenceId": "\#(UUID())"}"# }
        let request = #"""
            {"operation": "CREATE_SUBSCRIPTION", "version": "1", "currency": "\#(store.storefront?.currency ?? "USD")",
            "taxCode": "C003-00-1", "period": "P1M", "descriptors": {"displayName": "Pass", "description": "All"},
            "items": [\#(items.joined(separator: ","))], \#(reference())}
            """#
        let bought = try account.buy(pass, compactJWS: store.signedRequest(Data(request.utf8)))
        let view = ServerView(store)
        try view.beginNotifications()
        let refund = #"""
            {"refundRiskingPreference": false, \#(reference()), "items":
            [{"SKU": "films", "refundType": "FULL", "refundReason": "OTHER", "revoke": true}]}
            """#
        _ = try view.perform(.requestRefund, of: bought, Data(refund.utf8))
        time.advance(by: 40 * 86_400)
    }

    /// Records what servers and the operator do: families, messages, tokens, promotions and purchases of the app.
    private static func serve(_ account: SandboxAccount, in store: SandboxStore) throws {
        let one = UUID(uuid: (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1))
        try store.setAppPurchase(AppPurchase(version: "1.0", platform: .macOS))
        try account.setAppPurchase(AppPurchase(version: "0.9"))
        let family = try store.addFamily("home", organizer: store.account)
        try family.add(account)
        try store.account.setSharesPurchases(false)
        try family.remove(account)
        try store.addRetentionImage(RetentionImage(identifier: one, width: 3840, height: 160))
        try store.addRetentionMessage(RetentionMessage(identifier: one, header: "Stay", body: "It goes on."))
        try store.setDefaultRetentionMessage(one, of: "gold", locale: "de-DE")
        try store.setRetentionURL("https://example.com/retention")
        try store.device.promote("sword")
        _ = try store.device.makeToken()
        try store.device.revokeTokens()
        let sword = try store.account.buy("sword")
        let view = ServerView(store)
        try view.takeConsumption(Data("{}".utf8), of: sword)
        store.refundDecision = .ask
        try store.requestRefund(of: sword, reason: .legal)
        try store.declineRefund(of: sword)
        try store.refund(sword)
        try store.reverseRefund(of: sword)
        try store.deleteTransaction(store.account.buy("sword"))
        _ = try view.requestTestNotification()
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

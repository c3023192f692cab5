import Foundation
import StoreCore
import Testing

/// A sandbox's transactions as JWS.
@Suite struct SignedTransactionTests {
    private let market: Market
    private let app: App
    private var store: SandboxStore { market.store }
    private var account: SandboxAccount { market.store.account }

    init() throws { (market, app) = try Market.withApp() }

    private func payload(_ identifier: String) throws -> TransactionPayload {
        try store.signedTransaction(identifier).payload
    }

    private func milliseconds(_ date: String) -> PayloadDate { PayloadDate(Market.date(date)) }

    // MARK: Products

    @Test(arguments: [
        ("sword", "Consumable"), ("full.game", "Non-Consumable"), ("lessons", "Non-Renewing Subscription"),
        ("magazine", "Non-Consumable"), ("gold.monthly", "Auto-Renewable Subscription"),
    ])
    func `Every kind of product has its type, and stays when it is finished`(product: String, type: String) throws {
        let market = try Market(isNewsstandApp: true)
        let app = App(on: market.store)
        app.buy(product)
        #expect(app.queue.transactions.isEmpty)
        let payload = try market.store.signedTransaction("1").payload
        #expect(payload.productId == product && payload.type.rawValue == type)
        #expect(payload.transactionId == "1" && payload.originalTransactionId == "1")
        #expect(payload.transactionReason == .purchase)
        let isSubscription = product == "gold.monthly"
        #expect((payload.expiresDate != nil) == isSubscription && (payload.webOrderLineItemId != nil) == isSubscription)
        #expect((payload.subscriptionGroupIdentifier != nil) == isSubscription)
        #expect((payload.billingPlanType != nil) == isSubscription)
        #expect(try market.store.account.signedTransactions.map(\.payload) == [payload])
    }

    @Test func `A consumable in JSON`() throws {
        app.buy("sword", quantity: 3)
        let json = """
            {"appTransactionId":"\(try #require(try payload("1").appTransactionId))","bundleId":"com.example.app",\
            "currency":"USD","environment":"LocalTesting","inAppOwnershipType":"PURCHASED",\
            "originalPurchaseDate":1735689600000,"originalTransactionId":"1","price":2970,"productId":"sword",\
            "purchaseDate":1735689600000,"quantity":3,"signedDate":1735689600000,"storefront":"USA",\
            "storefrontId":"143441","transactionId":"1","transactionReason":"PURCHASE","type":"Consumable"}
            """
        #expect(String(decoding: try payload("1").json, as: UTF8.self) == json)
    }

    @Test func `A renewal of a subscription in JSON`() throws {
        try account.buy("gold.monthly", applicationUsername: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        market.advance(to: "2025-02-10T00:00:00Z")
        let json = """
            {"appAccountToken":"e621e1f8-c36c-495a-93fc-0c247a3e6e5f",\
            "appTransactionId":"\(try #require(try payload("2").appTransactionId))","billingPlanType":"BILLED_UPFRONT",\
            "bundleId":"com.example.app","currency":"USD","environment":"LocalTesting","expiresDate":1740787200000,\
            "inAppOwnershipType":"PURCHASED","originalPurchaseDate":1735689600000,"originalTransactionId":"1",\
            "price":9990,"productId":"gold.monthly","purchaseDate":1738368000000,"quantity":1,\
            "signedDate":1739145600000,"storefront":"USA","storefrontId":"143441",\
            "subscriptionGroupIdentifier":"metals","transactionId":"2","transactionReason":"RENEWAL",\
            "type":"Auto-Renewable Subscription","webOrderLineItemId":"2"}
            """
        #expect(String(decoding: try payload("2").json, as: UTF8.self) == json)
    }

    @Test func `B145: A payment's user name that is a UUID comes back as the account token, in renewals too`() throws {
        let payment = SKMutablePayment(productIdentifier: "gold.monthly")
        payment.applicationUsername = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
        app.queue.add(payment)
        app.queue.settle()
        market.advance(to: "2025-02-01T00:00:00Z")
        for identifier in ["1", "2"] {
            #expect(try payload(identifier).appAccountToken == "e621e1f8-c36c-495a-93fc-0c247a3e6e5f")
        }
    }

    @Test func `B145: Only a user's name that is a UUID is told`() throws {
        for (number, name) in [nil, "anna", "", "E621E1F8-C36C-495A-93FC-0C247A3E6E5F "].enumerated() {
            try account.buy("sword", applicationUsername: name)
            #expect(try payload("\(number + 1)").appAccountToken == nil)
        }
    }

    @Test func `What gave nothing has no JWS`() throws {
        let market = try Market(authorizer: .always(.askToBuy))
        let app = App(on: market.store)
        app.buy("dragon", "sword")
        for identifier in ["1", "2", "3", "0", "-1", "01", "", "sword"] {
            let unknown = SandboxError(.unknownTransaction(identifier))
            #expect(throws: unknown) { try market.store.signedTransaction(identifier) }
        }
        #expect(try market.store.account.signedTransactions.isEmpty)
        try market.after(60).store.decide("2", as: .approve)
        // Dated like its receipt.
        #expect(try market.store.signedTransaction("2").payload.purchaseDate == milliseconds("2025-01-01T00:00:00Z"))
    }

    @Test func `A subscription that was asked about begins when it is approved`() throws {
        try account.setAsksToBuy(true)
        app.buy("gold.monthly")
        try market.at("2025-01-05T00:00:00Z").store.decide("1", as: .approve)
        let payload = try payload("1")
        let ordered = milliseconds("2025-01-01T00:00:00Z")
        #expect(payload.purchaseDate == ordered && payload.originalPurchaseDate == ordered)
        #expect(payload.expiresDate == milliseconds("2025-02-05T00:00:00Z") && payload.price == 9990)
    }

    // MARK: Later events

    @Test func `A restored purchase has its own identifier and date, and the rest of the original`() throws {
        app.buy("full.game")
        market.clock.advance(by: 60)
        app.restore()
        let (first, again) = (try payload("1"), try payload("2"))
        #expect(again.originalTransactionId == "1" && again.originalPurchaseDate == first.purchaseDate)
        #expect(again.purchaseDate == PayloadDate(market.clock.now))
        #expect(again.price == 4990 && again.transactionReason == .purchase)
        #expect(try account.signedTransactions.map(\.payload.transactionId) == ["1"])
        try store.refund("1")
        #expect(try payload("2").revocationDate == PayloadDate(market.clock.now))
    }

    @Test func `A restored renewal belongs to its period and its subscription`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        app.restore()
        let restored = try payload("4")
        #expect(restored.originalTransactionId == "1" && restored.webOrderLineItemId == "2")
        #expect(restored.transactionReason == .renewal && restored.expiresDate == milliseconds("2025-03-01T00:00:00Z"))
    }

    @Test func `A refund of a part is prorated, and has its percentage and its reason`() throws {
        app.buy("sword")
        try store.refund("1", percentage: #require(Decimal(string: "33.333")), reason: .developerIssue)
        let payload = try payload("1")
        #expect(payload.revocationDate == PayloadDate(market.clock.now) && payload.revocationReason == .developerIssue)
        #expect(payload.revocationType == .proratedRefund && payload.revocationPercentage == 33_333)
        try store.reverseRefund(of: "1")
        let reversed = try self.payload("1")
        #expect(
            reversed.revocationDate == nil && reversed.revocationType == nil && reversed.revocationPercentage == nil
        )
        try store.refund("1")
        #expect(try self.payload("1").revocationPercentage == 100_000)
    }

    @Test func `A refund is of the whole price, for no stated reason`() throws {
        app.buy("sword")
        market.clock.advance(by: 60)
        #expect(try payload("1").revocationDate == nil)
        try store.refund("1")
        let payload = try payload("1")
        #expect(payload.revocationDate == PayloadDate(market.clock.now) && payload.revocationReason == .other)
        #expect(payload.revocationType == .fullRefund && payload.revocationPercentage == 100_000)
        #expect(payload.price == 990)
    }

    @Test func `What was deleted has no JWS, and the period before it is the newest`() throws {
        app.buy("gold.monthly")
        market.advance(to: "2025-02-10T00:00:00Z")
        _ = try store.signedTransaction("2")
        try store.deleteTransaction("2")
        #expect(throws: SandboxError(.unknownTransaction("2"))) { try store.signedTransaction("2") }
        #expect(try account.signedTransactions.map(\.payload.transactionId) == ["1"])
        #expect(try account.signedSubscriptions(inGroup: "metals").map(\.transaction.payload.transactionId) == ["1"])
        try store.clearTransactions()
        #expect(try account.signedTransactions.isEmpty)
    }

    @Test func `An upgrade takes the place of the running period`() throws {
        app.buy("silver.monthly")
        market.clock.advance(by: 86_400)
        #expect(try payload("1").isUpgraded == nil)
        app.buy("gold.monthly")
        let (silver, gold) = (try payload("1"), try payload("2"))
        #expect(silver.isUpgraded == true && silver.expiresDate == milliseconds("2025-02-01T00:00:00Z"))
        #expect(gold.isUpgraded == nil && gold.originalTransactionId == "1" && gold.transactionReason == .purchase)
        #expect(gold.webOrderLineItemId == "2")
    }

    @Test func `A product bought after the end of another is no upgrade`() throws {
        app.buy("silver.monthly")
        try account.expireSubscription(inGroup: "metals")
        app.buy("gold.monthly")
        #expect(try payload("1").isUpgraded == nil)
        try store.refund("2")
        app.buy("silver.monthly")
        #expect(try payload("2").isUpgraded == nil)
    }

    @Test func `A downgrade begins with a renewal, and its purchase is in no list`() throws {
        app.buy("gold.monthly", "silver.monthly")
        market.advance(to: "2025-02-01T00:00:00Z")
        #expect(try payload("1").isUpgraded == nil)
        #expect(throws: SandboxError(.unknownTransaction("2"))) { try payload("2") }
        let renewal = try payload("3")
        #expect(renewal.productId == "silver.monthly" && renewal.transactionReason == .renewal && renewal.price == 4990)
        #expect(try account.signedTransactions.map(\.payload.transactionId) == ["1", "3"])
    }

    @Test func `A3: A repeated purchase of a running subscription is no signed transaction`() throws {
        app.buy("gold.monthly", "gold.monthly")
        #expect(throws: SandboxError(.unknownTransaction("2"))) { try payload("2") }
        #expect(try account.signedTransactions.map(\.payload.transactionId) == ["1"])
    }

    @Test func `A period that is cut short ends sooner`() throws {
        app.buy("gold.monthly")
        market.clock.advance(by: 86_400)
        #expect(try payload("1").expiresDate == milliseconds("2025-02-01T00:00:00Z"))
        try account.expireSubscription(inGroup: "metals")
        #expect(try payload("1").expiresDate == milliseconds("2025-01-02T00:00:00Z"))
    }

    @Test func `A purchase keeps the country, the currency and the price of its time`() throws {
        let market = try Market([.consumable("sword", price: "0.99").priced("1.19", in: "DEU")])
        let app = App(on: market.store, buying: "sword")
        try market.store.setStorefront("DEU")
        app.buy("sword")
        let first = try market.store.signedTransaction("1").payload
        let second = try market.store.signedTransaction("2").payload
        #expect([first.storefront, first.storefrontId, first.currency] == ["USA", "143441", "USD"])
        #expect([second.storefront, second.storefrontId, second.currency] == ["DEU", "143443", "EUR"])
        #expect(first.price == 990 && second.price == 1190)
    }

    @Test func `An amount that no number holds is left out`() throws {
        let market = try Market([.consumable("moon", price: "9000000000000000")])
        let app = App(on: market.store, buying: "moon")
        app.buy("moon", quantity: 2)
        #expect(try market.store.signedTransaction("1").payload.price == 9_000_000_000_000_000_000)
        let moons = try market.store.signedTransaction("2").payload
        #expect(moons.price == nil && moons.currency == nil)
    }

    // MARK: Signing

    @Test func `A JWS is made once, when it is read, and verified by its store alone`() throws {
        app.buy("sword")
        let value = try store.signedTransaction("1")
        let jws = try value.jws
        #expect(try TransactionPayload(verifying: jws, signer: store.payloadSigner) == value.payload)
        #expect(throws: ReceiptRefusal.self) { try TransactionPayload(verifying: jws, signer: HMACReceiptSigner()) }
        let counter = RefusingSigner()
        let other = try SandboxStore(products: Market.products, signer: counter)
        try other.account.buy("sword")
        let counted = try other.signedTransaction("1")
        #expect(counted.payload.productId == "sword" && counter.count == 0)
        #expect(throws: RefusingSigner.Refusal.self) { try counted.jws }
        #expect(try [counted.jws, counted.jws] == ["2", "2"])
        #expect(counter.count == 2)
        #expect(counted.payload.environment == "Sandbox")
    }

    @Test func `A store on the same ledger has the same transactions, and each hears of the other's`() throws {
        app.buy("gold.monthly")
        let expected = try market.at("2025-02-10T00:00:00Z").account.signedTransactions.map(\.payload)
        let other = try SandboxStore(clock: market.clock, ledger: market.ledger)
        #expect(try other.account.signedTransactions.map(\.payload) == expected)
        app.buy("sword")
        #expect(try other.signedTransaction("3").payload == payload("3"))
        #expect(expected.count == 2)
    }

    @Test func `A ledger that cannot be read is told, and read on later, each record once`() throws {
        let ledger = FailingLedger()
        let store = try SandboxStore(products: Market.products, ledger: ledger)
        try store.account.buy("sword")
        ledger.isReadable = false
        #expect(throws: StoreFailure.self) { try store.signedTransaction("1") }
        ledger.isReadable = true
        // The list takes in all records, once.
        #expect(try store.account.signedTransactions.map(\.payload.productId) == ["sword"])
        ledger.isReadable = false
        #expect(try store.signedTransaction("1").payload.productId == "sword")
    }

    @Test func `A ledger that returns fewer records than the store has applied is told, and read on later`() throws {
        let ledger = FailingLedger()
        let store = try SandboxStore(products: Market.products, ledger: ledger)
        try store.account.buy("sword")
        ledger.hidesRecords = true
        let failure = #expect(throws: StoreFailure.self) { try store.signedTransaction("1") }
        #expect(failure?.description.contains("the ledger returns nothing after its record") == true)
        ledger.repair()
        #expect(try store.account.signedTransactions.map(\.payload.revocationDate) == [nil])
        // What the store has applied since then is known without the ledger.
        try store.refund("1")
        ledger.hidesRecords = true
        #expect(try store.signedTransaction("1").payload.revocationDate != nil)
    }

    @Test func `A history that a ledger cuts short is told, and not taken for the whole`() throws {
        let ledger = FailingLedger()
        let store = try SandboxStore(products: Market.products, ledger: ledger)
        try store.account.buy("sword")
        ledger.hidesRecords = true
        for body in [{ _ = try store.transactions }, { _ = try store.timeline }, { try store.refund("1") }] {
            let failure = #expect(throws: StoreFailure.self) { try body() }
            #expect(failure?.description.contains("the ledger returns nothing after its record") == true)
        }
        ledger.repair()
        #expect(try store.transactions.map(\.state) == [.purchased])
    }
}

/// Refuses the first signature, then numbers them.
private final class RefusingSigner: IdleSigner, PayloadSigner {
    struct Refusal: Error {}

    private let number = Locked(0)
    var count: Int { number.withLock { $0 } }

    var environment: String { "Sandbox" }

    func jws(of payload: Data) throws -> String {
        try number.withLock { number in
            number += 1
            if number == 1 { throw Refusal() }
            return "\(number)"
        }
    }

    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data { throw Refusal() }
}

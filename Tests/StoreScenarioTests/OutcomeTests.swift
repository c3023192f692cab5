import StoreCore
import StoreScenario
import Testing

/// Purchases whose outcome their own line says.
@Suite struct OutcomeTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test(arguments: [
        ("approve", "purchased"), ("decline", "failed, unknown: the payment for sword was declined"),
        ("cancel", "failed, paymentCancelled"), ("ask", "deferred"), ("interrupt", "failed, unknown: the purchase of"),
        ("paymentNotAllowed", "failed, paymentNotAllowed"), ("timedOut", "failed, timedOut"),
    ])
    func `A purchase has the outcome of its line, and the next one what the settings say`(
        outcome: String,
        words: String
    ) throws {
        #expect(try shop.perform("buy sword --outcome \(outcome)").contains("#1 sword: \(words)"))
        #expect(try shop.perform("buy sword").contains("#2 sword: purchased"))
        #expect(shop.store.interruptedPurchases.map(\.transaction) == (outcome == "interrupt" ? ["1"] : []))
        #expect(shop.store.undecidedRequests.map(\.transaction) == (outcome == "ask" ? ["1"] : []))
    }

    @Test(arguments: [
        "authorizer decline", "authorizer later", "purchase-failure timedOut", "ask-to-buy on",
        "interrupts-purchases on", "quirk purchase-never-returns on",
    ])
    func `The outcome goes before every setting, which stays`(setting: String) throws {
        #expect(try shop.perform(setting, "buy sword --outcome approve").contains("#1 sword: purchased"))
        #expect(try shop.perform("buy sword --outcome ask").contains("#2 sword: deferred"))
        #expect(try !shop.perform("buy sword").contains("#3 sword: purchased"))
    }

    @Test func `What is not sold is refused, whatever the outcome`() throws {
        try shop.perform("availability sword withdrawn")
        #expect(try shop.perform("buy sword --outcome approve").contains("failed, paymentInvalid"))
        #expect(shop.error("buy sword --outcome approve --device phone").contains("is not a device of this store"))
        try shop.perform("reachable off")
        #expect(shop.error("buy game --outcome approve").contains("notConnectedToInternet"))
        #expect(try shop.store.transactions.count == 1)
    }

    @Test func `A purchase that waits is decided later, and an interrupted one resolved`() throws {
        try shop.perform("buy game --outcome ask", "approve 1", "buy pro.monthly --outcome interrupt", "resolve 2")
        #expect(shop.store.account.entitlements.map(\.productIdentifier) == ["game", "pro.monthly"])
    }

    @Test func `An offer, an account and a device go with the outcome`() throws {
        try shop.perform("buy pro.monthly", "expire", "add-account bob", "add-device phone --account bob")
        let line = "buy pro.monthly --offer winter --account account --outcome approve"
        #expect(try shop.perform(line).contains("purchased"))
        #expect(shop.store.account.subscriptions.first?.offer?.identifier == "winter")
        try shop.perform("buy sword --account bob --device phone --outcome approve")
        #expect(try shop.store.transactions.last?.device == "phone")
    }

    @Test func `A family shares what is bought with an outcome`() throws {
        try shop.perform("add-account bob", "add-family smiths", "join-family smiths --account bob")
        try shop.perform("buy game --outcome approve")
        #expect(shop.store.account(named: "bob")?.entitlements.first?.sharedBy == "account")
    }

    @Test func `An outcome is a known word, of what an app orders`() {
        #expect(shop.error("buy sword --outcome aprove").contains("did you mean \"approve\"?"))
        #expect(shop.error("buy sword --outcome").contains("--outcome"))
        #expect(shop.error("buy sword --outcome ask --outside").contains("does not go with --outside"))
        #expect(shop.error("buy sword --ask --outcome approve").contains("does not go with --ask"))
    }
}

import Foundation
import StoreCore
import Testing

/// Offers that a payment names as Store Kit 2's purchase options do.
@Suite struct OrderedOfferTests {
    private let shop: OfferShop

    init() throws { shop = try OfferShop() }

    private func offer(_ kind: StoreOffer.Kind, _ identifier: String? = nil, proof: String? = nil) -> StoreOffer {
        StoreOffer(kind: kind, identifier: identifier, proof: proof)
    }

    // MARK: Win-back offers

    @Test func `An ordered win-back offer is sold by the order's own transaction`() throws {
        try shop.leave()
        let before = try shop.charged
        shop.app.recorder.clear()
        shop.app.order("gold", under: offer(.winBack, "come.back"))
        #expect(shop.app.received == [.updated("gold", .purchased)])
        #expect(shop.metals?.offer?.kind == .winBack && shop.metals?.offer?.identifier == "come.back")
        #expect(try shop.charged == before + OfferShop.price("2.99"))
        #expect(try #require(shop.account.transactions.last).order != nil)
    }

    @Test func `An ordered win-back offer is for whom the store itself would win back`() throws {
        #expect(shop.ordered("gold", under: offer(.winBack, "come.back"))?.trouble == .storeKit(.ineligibleForOffer))
        shop.app.buy("silver")
        #expect(shop.ordered("gold", under: offer(.winBack, "come.back"))?.trouble == .storeKit(.ineligibleForOffer))
        try shop.leave()
        #expect(shop.ordered("gold", under: offer(.winBack, "not.you"))?.trouble == .storeKit(.ineligibleForOffer))
        #expect(shop.ordered("gold", under: offer(.winBack, "winter"))?.trouble == .storeKit(.invalidOfferIdentifier))
        #expect(shop.ordered("gold", under: offer(.winBack))?.trouble == .storeKit(.missingOfferParams))
    }

    // MARK: Unsigned offers

    @Test(arguments: [StoreOffer.Kind.promotional, .code, .introductory, .noIntroductory])
    func `An offer without a proof is sold only by a store that accepts test purchases`(kind: StoreOffer.Kind) throws {
        try shop.subscribeElsewhere()
        let name = kind == .promotional ? "winter" : kind == .code ? "TWICE" : nil
        shop.app.order("gold", under: offer(kind, name))
        #expect(shop.lastTrouble == .storeKit(.missingOfferParams) && shop.metals == nil)
        shop.store.acceptsTestPurchases = true
        shop.app.order("gold", under: offer(kind, name))
        #expect(shop.lastState == .purchased && shop.metals?.offer?.identifier == name)
    }

    @Test func `An unsigned promotional offer is for who is or was subscribed, as a signed one`() {
        shop.store.acceptsTestPurchases = true
        #expect(shop.ordered("gold", under: offer(.promotional, "winter"))?.trouble == .storeKit(.ineligibleForOffer))
    }

    @Test func `An ordered code serves an account once, in an order or in the store`() throws {
        shop.store.acceptsTestPurchases = true
        shop.app.order("gold", under: offer(.code, "TWICE"))
        #expect(try shop.metals?.offer?.kind == .code && shop.charged == 0)
        #expect(shop.ordered("gold", under: offer(.code, "TWICE"))?.trouble == .storeKit(.ineligibleForOffer))
        let refusal = failure { try shop.account.redeem(code: "TWICE", of: "gold") }
        #expect(refusal?.isStoreKit(.ineligibleForOffer) == true)
        #expect(shop.ordered("gold", under: offer(.code, "FOR.NEW"))?.trouble == .storeKit(.ineligibleForOffer))
        #expect(shop.ordered("gold", under: offer(.code, "NONE"))?.trouble == .storeKit(.invalidOfferIdentifier))
    }

    @Test func `An ordered code that is stackable follows the introductory offer`() {
        shop.store.acceptsTestPurchases = true
        shop.app.order("gold", under: offer(.code, "STACK"))
        #expect(shop.metals?.offer?.kind == .introductory && shop.metals?.waitingOffer?.identifier == "STACK")
    }

    @Test func `A store opened again on its ledger knows the codes that were ordered`() throws {
        shop.store.acceptsTestPurchases = true
        #expect(shop.ordered("gold", under: offer(.code, "TWICE"))?.transactionState == .purchased)
        let after = try OfferShop(ledger: shop.market.ledger)
        after.store.acceptsTestPurchases = true
        #expect(after.ordered("gold", under: offer(.code, "TWICE"))?.trouble == .storeKit(.ineligibleForOffer))
    }

    // MARK: The introductory offer

    @Test(arguments: [StoreOffer.Kind.introductory, .noIntroductory])
    func `A proof grants the introductory offer to who has had it`(kind: StoreOffer.Kind) throws {
        shop.app.buy("gold")
        #expect(shop.metals?.offer?.kind == .introductory)
        try shop.account.setAutoRenew(false, inGroup: "metals")
        let proof = try shop.after(10 * 86_400).store.compactJWS(for: .introductoryOffer(isAllowed: true), of: "gold")
        shop.app.order("gold", under: offer(kind, proof: proof))
        #expect(shop.lastState == .purchased && shop.metals?.offer?.kind == .introductory)
        #expect(try shop.charged == 0)
    }

    @Test(arguments: [StoreOffer.Kind.introductory, .noIntroductory])
    func `A proof withholds the introductory offer from who never had it`(kind: StoreOffer.Kind) throws {
        let proof = try shop.store.compactJWS(for: .introductoryOffer(isAllowed: false), of: "gold")
        shop.app.order("gold", under: offer(kind, proof: proof))
        #expect(shop.lastState == .purchased)
        #expect(try shop.metals?.offer == nil && shop.charged == OfferShop.price("4.99"))
    }

    @Test func `Where there is no introductory offer, a proof that grants it buys at the full price`() throws {
        let proof = try shop.store.compactJWS(for: .introductoryOffer(isAllowed: true), of: "silver")
        shop.app.order("silver", under: offer(.introductory, proof: proof))
        #expect(try shop.lastState == .purchased && shop.charged == OfferShop.price("2.99"))
    }

    // MARK: Orders

    @Test func `A payment with a discount and another offer is refused`() throws {
        try shop.subscribeElsewhere()
        let discount = try shop.store.signedOffer("winter", for: "gold")
        let proof = try shop.store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        shop.app.order("gold") { payment in
            payment.discount = discount
            payment.offer = offer(.promotional, "winter", proof: proof)
        }
        #expect(shop.lastTrouble == .storeKit(.paymentInvalid) && shop.metals == nil)
    }

    @Test func `What does not renew by itself has no offers`() {
        shop.app.order("sword", under: offer(.winBack, "come.back"))
        #expect(shop.lastTrouble == .storeKit(.invalidOfferIdentifier))
    }

    @Test func `An order that waits keeps its offer, and is sold under it although the proof has aged`() throws {
        let shop = try OfferShop(authorizer: .always(.later))
        try shop.store.settle { try shop.account.buy("news") }
        let proof = try shop.store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        shop.app.order("gold", under: offer(.promotional, "winter", proof: proof))
        let question = try #require(shop.store.undecidedRequests.first)
        #expect(question.total == OfferShop.price("0.99"))
        try shop.after(3 * 86_400).store.decide(question.transaction, as: .approve)
        #expect(shop.metals?.offer?.identifier == "winter")
    }

    @Test func `An order that waits fails if its offer is gone when it is approved`() throws {
        let shop = try OfferShop(authorizer: .always(.later))
        try shop.store.settle { try shop.account.buy("news") }
        let proof = try shop.store.compactJWS(for: .promotionalOffer("winter"), of: "gold")
        shop.app.order("gold", under: offer(.promotional, "winter", proof: proof))
        var gold = try #require(OfferShop.products.first)
        gold.subscription?.promotionalOffers = []
        try shop.store.register(gold)
        try shop.store.decide(try #require(shop.store.undecidedRequests.first).transaction, as: .approve)
        shop.store.settle()
        #expect(shop.lastTrouble == .storeKit(.invalidOfferIdentifier) && shop.metals == nil)
    }

    @Test func `An interrupted order goes through under its offer`() throws {
        try shop.leave()
        try shop.account.setInterruptsPurchases(true)
        #expect(shop.ordered("gold", under: offer(.winBack, "come.back"))?.transactionState == .failed)
        try shop.store.resolveInterruption(of: try #require(shop.store.interruptedPurchases.first).transaction)
        #expect(shop.metals?.offer?.kind == .winBack)
    }

    // MARK: Billing plans

    @Test func `A subscription without a monthly plan is paid up front, and not in monthly parts`() {
        shop.app.order("gold") { $0.billingPlan = .monthly }
        #expect(shop.lastTrouble == .storeKit(.paymentInvalid))
        #expect(shop.app.recorder.transactions.last?.reason?.contains("monthly") == true)
        shop.app.order("gold") { $0.billingPlan = .upFront }
        #expect(shop.lastState == .purchased)
    }
}

@Suite struct OfferLedgerTests {
    @Test func `What the ledger says of offers survives being written`() throws {
        let before = try OfferShop()
        try before.account.redeem(code: "STACK")
        try before.at("2025-01-08T00:00:00Z").buy("gold", under: "quarter")
        let after = try OfferShop(on: "2025-01-08T00:00:00Z", ledger: LedgerCopy.rewritten(before.market.ledger).0)
        #expect(after.metals == before.metals && after.metals?.offer?.identifier == "STACK")
        #expect(after.metals?.waitingOffer?.identifier == "quarter")
        for shop in [before, after] { shop.market.advance(to: "2025-06-07T00:00:00Z") }
        #expect(try after.metals == before.metals && after.charged == OfferShop.price("13.97"))
        #expect(try after.charged == before.charged)
    }

    @Test func `A purchase without an offer says nothing of one`() throws {
        let shop = try Market()
        App(on: shop.store).buy("gold.monthly")
        App(on: shop.store).buy("silver.monthly")
        let (copy, text) = try LedgerCopy.rewritten(shop.ledger)
        #expect(!text.contains("\"then\"") && !text.contains("\"offer\""))
        #expect(try Market(ledger: copy).store.account.subscriptions == shop.store.account.subscriptions)
    }
}

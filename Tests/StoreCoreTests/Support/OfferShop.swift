import Foundation
import StoreCore

/// A store that has offers of every kind, and an app in it.
struct OfferShop {
    let market: Market
    let app: App
    let signer: HMACOfferSigner

    static let winter = SandboxProduct.Offer.payAsYouGo(
        price: "0.99",
        every: .init(1, .month),
        times: 2,
        identifier: "winter"
    )
    static let products: [SandboxProduct] = [
        .autoRenewable(
            "gold",
            price: "4.99",
            period: .init(1, .month),
            group: "metals",
            level: 1,
            introductoryOffer: .freeTrial(.init(1, .week)),
            promotionalOffers: [
                winter,
                .payUpFront(price: "9.99", for: .init(3, .month), identifier: "quarter"),
                .freeTrial(.init(1, .month), identifier: "gift"),
                .payAsYouGo(price: "4.99", every: .init(1, .month), identifier: "no.gain"),
                .payUpFront(price: "14.97", for: .init(3, .month), identifier: "no.gain.quarter"),
            ],
            offerCodes: [
                .init(.payUpFront(price: "1.99", for: .init(2, .month), identifier: "FOR.NEW"), eligibility: .new),
                .init(.freeTrial(.init(1, .month), identifier: "FOR.EXISTING"), eligibility: .existing),
                .init(.freeTrial(.init(1, .month), identifier: "FOR.EXPIRED"), eligibility: .expired),
                .init(
                    .payAsYouGo(price: "1.99", every: .init(1, .month), times: 2, identifier: "STACK"),
                    isStackable: true
                ),
                .init(.freeTrial(.init(1, .month), identifier: "TWICE")),
            ],
            winBackOffers: [
                .init(.payUpFront(price: "2.99", for: .init(2, .month), identifier: "come.back")),
                .init(.freeTrial(.init(1, .month), identifier: "not.you"), isEligible: false),
            ]
        ),
        .autoRenewable(
            "silver",
            price: "2.99",
            period: .init(1, .month),
            group: "metals",
            level: 2,
            promotionalOffers: [.freeTrial(.init(1, .month), identifier: "gift")],
            offerCodes: [.init(.freeTrial(.init(2, .month), identifier: "TWICE"))]
        ),
        .autoRenewable("news", price: "1.99", period: .init(1, .month), group: "papers"),
        .consumable("sword", price: "0.99"),
    ]

    init(
        _ products: [SandboxProduct] = OfferShop.products,
        on start: String = "2025-01-01T00:00:00Z",
        ledger: any Ledger = MemoryLedger(),
        authorizer: Authorizer = .approving,
        signer: HMACOfferSigner = HMACOfferSigner(keyIdentifier: "key", key: Data("a secret".utf8))
    ) throws {
        market = try Market(products, on: start, ledger: ledger, authorizer: authorizer)
        self.signer = signer
        market.store.offerSigners = [signer]
        app = App(on: market.store)
    }

    var store: SandboxStore { market.store }
    var account: SandboxAccount { market.store.account }
    /// What the account has of the group that most products are in.
    var metals: SandboxSubscription? { account.subscription(inGroup: "metals") }

    /// Orders a subscription under an offer.
    func buy(_ product: String, under discount: StoreDiscount, username: String? = nil, on app: App? = nil) {
        let payment = SKMutablePayment(productIdentifier: product)
        payment.applicationUsername = username
        payment.paymentDiscount = SKPaymentDiscount(discount)
        (app ?? self.app).queue.add(payment)
        (app ?? self.app).queue.settle()
    }

    /// Orders a subscription under an offer that the store signs for it.
    func buy(_ product: String, under offer: String) throws {
        buy(product, under: try store.signedOffer(offer, for: product))
    }

    /// Makes the account a former subscriber, of another group.
    func subscribeElsewhere() throws {
        app.buy("news")
        try account.setAutoRenew(false, inGroup: "papers")
    }

    /// Makes the account a former subscriber, of the group that most products are in.
    func leave() throws {
        app.buy("silver")
        try account.setAutoRenew(false, inGroup: "metals")
        market.clock.advance(by: 40 * 86_400)
    }

    /// What the last transaction came to.
    var lastTrouble: Trouble? { app.recorder.transactions.last?.trouble }
    var lastState: SKPaymentTransactionState? { app.recorder.transactions.last?.transactionState }

    /// What was charged so far.
    var charged: Decimal { get throws { try account.totalCharged } }

    static func price(_ text: String) -> Decimal {
        guard let price = Decimal(string: text) else { fatalError("\(text) is no price") }
        return price
    }
}

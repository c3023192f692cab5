import Foundation
import StoreCore
import StoreRemote

/// A message of the socket: its name in the schema, how it is read and written again, and samples of every case.
struct SocketMessage: Sendable {
    let name: String
    let samples: [any Encodable & Sendable]
    /// Reads a value, and writes it again.
    let rewrite: @Sendable (Data) throws -> Data

    private init<Value: Codable & Sendable>(_ name: String, _ samples: [Value]) {
        self.name = name
        self.samples = samples
        rewrite = { try JSONEncoder().encode(JSONDecoder().decode(Value.self, from: $0)) }
    }

    static let all: [SocketMessage] = [
        SocketMessage("StoreCommand", commands),
        SocketMessage("UpdateCursor", [UpdateCursor(position: 41, part: 2), UpdateCursor(position: 0)]),
        SocketMessage("SubmissionReply", replies),
        SocketMessage("UpdateBatch", batches),
        SocketMessage("StoreUpdate", updates),
        SocketMessage("ProductsAnswer", [ProductsAnswer(products: products, invalidIdentifiers: ["dragon"])]),
        SocketMessage("ReceiptProperties", [ReceiptProperties(isExpired: true)]),
        SocketMessage("ContentRequest", [contentRequest]),
        SocketMessage("PromotionChange", changes),
        SocketMessage("HistoryQuery", historyQueries),
        SocketMessage("SubscriptionQuery", [.all, .group("club"), .transaction("1")] as [SubscriptionQuery]),
        SocketMessage("RefundAnswer", [.taken, .duplicate, .ineligible] as [RefundAnswer]),
        SocketMessage(
            "CodeRedemption",
            [CodeRedemption(transaction: "1000000001"), CodeRedemption(transaction: nil)]
        ),
        SocketMessage("Greeting", [Greeting(wantsReceipts: true)]),
        SocketMessage("Welcome", welcomes),
        SocketMessage("UpdateLine", lines),
        SocketMessage("ReceiptUpdate", [ReceiptUpdate(Data([1, 2]), position: 7), ReceiptUpdate(nil)]),
        SocketMessage(
            "PromotionUpdate",
            [PromotionUpdate(status.promotionOverrides, position: 7), PromotionUpdate(nil, position: nil)]
        ),
        SocketMessage("StorefrontDecision", [StorefrontDecision(transaction: "1", shouldContinue: false)]),
        SocketMessage("ExternalRequest", externalRequests),
        SocketMessage("ExternalAnswer", externalAnswers),
        SocketMessage("SignedText", [text] + SignatureDefect.allCases.map { SignedText(jws: "a", defect: $0) }),
        SocketMessage("HistoryText", [HistoryText(transactions: [text], next: "1")]),
        SocketMessage("SubscriptionText", [SubscriptionText(transaction: text, renewal: text)]),
    ]

    /// The definitions that are parts of messages, and no messages.
    static let parts: Set<String> = [
        "Date", "Long", "Decimal", "Base64", "UUID", "JournalID", "OrderID", "StoreDiscount", "StoreOffer",
        "StorePayment", "BillingPlan", "StoreFailure", "Underlying", "StoreContent", "StoreTransaction", "Period",
        "Offer", "StoreProduct", "StoreStorefront", "PromotionOverrides", "DeviceStatus",
        "ExternalEligibility",
    ]

    // MARK: Values

    private static let date = Date(timeIntervalSinceReferenceDate: 817_531_800.125)
    private static let order = OrderID(journal: JournalID(rawValue: 0xfedc_ba98_7654_3211), number: 7)
    private static let failures = [
        StoreFailure.storeKit(.paymentInvalid, "it is not sold"), .network(.timedOut, "the store does not answer"),
        StoreFailure(
            domain: .storeKit,
            code: 0,
            reason: "the card has expired",
            underlying: .init(
                domain: "ShopErrorDomain",
                code: 402,
                reason: "payment required",
                underlying: .init(domain: "BankErrorDomain", code: 51, reason: "insufficient funds")
            ),
            isPending: true
        ),
    ]
    private static let links = [URL(string: "https://example.com/buy?from=app")].compactMap(\.self)
    private static var externalRequests: [ExternalRequest] {
        ExternalRequest.Action.allCases.map { action in
            ExternalRequest(action, type: "SERVICES", link: links.first, identifier: "carrier")
        }
    }
    private static var externalAnswers: [ExternalAnswer] {
        ExternalAnswer.Outcome.allCases.map { ExternalAnswer($0, token: "e30") } + [
            ExternalAnswer(eligibility: ExternalEligibility(presentsNotice: true, links: links))
        ]
    }
    private static let text = SignedText(jws: "a.b.c")
    private static let storefront = StoreStorefront(countryCode: "DEU", identifier: "143443")
    private static let content = StoreContent(identifier: "castle", length: .max)

    private static var fullPayments: [StorePayment] {
        StoreOffer.Kind.allCases.map { kind in
            var payment = StorePayment(
                productIdentifier: "gold",
                quantity: 3,
                applicationUsername: "7d3f",
                requestData: Data([0, 1, 2, 255]),
                simulatesAskToBuyInSandbox: true,
                discount: StoreDiscount(
                    identifier: "spring",
                    keyIdentifier: "key",
                    nonce: UUID(),
                    signature: "c2ln",
                    timestamp: .max
                )
            )
            payment.offer = StoreOffer(kind: kind, identifier: "spring", proof: "a.b.c")
            payment.purchaseDate = date
            payment.renewsUntilNow = true
            payment.billingPlan = kind == .code ? .upFront : .monthly
            payment.isStoreKit2 = true
            return payment
        }
    }

    private static var commands: [StoreCommand] {
        let payments = fullPayments + [StorePayment(productIdentifier: "coins")]
        let actions: [StoreCommand.Action] =
            payments.map { .purchase($0) } + [
                .finish(transaction: "1"), .restore(applicationUsername: "7d3f"), .restore(applicationUsername: nil),
            ]
        return actions.map { StoreCommand(id: order, action: $0) }
    }

    private static var replies: [SubmissionReply] {
        failures.map { .tryLater($0) } + [.taken, .refused([RefusedCommand(id: order, failure: failures[0])])]
    }

    private static var transactions: [StoreTransaction] {
        let payment = StorePayment(productIdentifier: "castle")
        let states: [StoreTransaction.State] = [.purchasing, .purchased, .failed, .restored, .deferred]
        return states.map { state in
            StoreTransaction(
                identifier: "1",
                order: state == .restored ? nil : order,
                payment: payment,
                state: state,
                date: date,
                failure: state == .failed ? failures[2] : nil,
                original: state == .restored ? .init(identifier: "0", date: date, payment: payment) : nil,
                receipt: state == .restored ? Data([1]) : nil,
                content: state == .restored ? [content] : [],
                heldIdentifier: state == .purchased ? "0" : nil
            )
        }
    }

    private static var updates: [StoreUpdate] {
        transactions.map { .transaction($0) } + [
            .finished(transaction: "1", order: order), .finished(transaction: "1", order: nil),
            .restoreEnded(order, failure: nil), .restoreEnded(order, failure: failures[0]), .storefront(storefront),
            .storefront(nil), .revoked(productIdentifiers: ["castle"]),
            .promoted(StorePayment(productIdentifier: "coins"), product: products[0]),
        ]
    }

    private static var batches: [UpdateBatch] {
        [
            UpdateBatch(after: nil, through: UpdateCursor(position: 41, part: 1), updates: updates),
            UpdateBatch(after: UpdateCursor(position: 41), through: UpdateCursor(position: 42), updates: []),
        ]
    }

    private static var products: [StoreProduct] {
        let units: [StoreProduct.Period.Unit] = [.day, .week, .month, .year]
        let modes: [StoreProduct.Offer.PaymentMode] = [.payAsYouGo, .payUpFront, .freeTrial]
        let offers = modes.map { mode in
            StoreProduct.Offer(identifier: "spring", price: 4.99, paymentMode: mode, period: .init(1, .month))
        }
        return StoreProduct.Kind.allCases.enumerated().map { index, kind in
            StoreProduct(
                identifier: "gold",
                localizedTitle: "Gold",
                localizedDescription: "",
                price: Decimal(string: "12345678901234567890.0123456789") ?? 0,
                priceLocaleIdentifier: "en_US@currency=USD",
                subscription: .init(
                    period: .init(1, units[index % units.count]),
                    groupIdentifier: "club",
                    introductoryOffer: .init(price: 0, paymentMode: .freeTrial, period: .init(1, .week)),
                    promotionalOffers: offers,
                    groupLevel: 1,
                    groupName: "Club",
                    winBackOffers: offers,
                    billingPlans: [.init(plan: .monthly, price: 1, commitmentPrice: 12)],
                    monthlyOffers: .init(introductory: offers[0], promotional: offers, winBack: offers),
                    bundledSubscriptions: [bundled]
                ),
                hostedContent: .init(version: "1.0", lengths: [.max]),
                kind: kind,
                internalIdentifier: "6C1A0E52"
            )
        } + [
            StoreProduct(
                identifier: "coins",
                localizedTitle: "",
                localizedDescription: "",
                price: 1,
                priceLocaleIdentifier: "en_US"
            ),
            StoreProduct(
                identifier: "generic",
                localizedTitle: "",
                localizedDescription: "",
                price: 1,
                priceLocaleIdentifier: "en_US",
                isAdvancedCommerce: true
            ),
        ]
    }

    private static let bundled = StoreProduct.BundledSubscription(
        identifier: "gold",
        localizedTitle: "Gold",
        localizedDescription: "",
        price: 4.99,
        groupIdentifier: "club",
        groupName: "Club"
    )

    private static var contentRequest: ContentRequest {
        ContentRequest(transaction: "1", productIdentifier: "castle", content: content, offset: 1 << 60, limit: 1024)
    }

    private static var changes: [PromotionChange] {
        [
            .order(["gold"]), .order([]), .visibility(productIdentifier: "gold", isShown: true),
            .visibility(productIdentifier: "gold", isShown: nil), .only(["gold"], visibility: nil),
            .only(["gold", "coins"], visibility: ["coins": false]),
        ]
    }

    private static var historyQueries: [HistoryQuery] {
        let selections: [HistoryQuery.Selection] = [
            .all, .unfinished, .entitlements, .latest, .revoked, .transactions(["1", "2"]),
        ]
        return selections.map { selection in
            var query = HistoryQuery(selection, ofProduct: "gold")
            query.cursor = "7"
            return query
        } + [HistoryQuery(.all)]
    }

    private static var status: DeviceStatus {
        DeviceStatus(
            storefront: storefront,
            promotionOverrides: PromotionOverrides(order: ["gold"], visibility: ["coins": false], hidesOthers: true),
            promotionPosition: 7,
            deviceVerificationID: UUID(),
            ageRatingCode: 618
        )
    }

    private static var welcomes: [Welcome] {
        [
            Welcome(
                version: 2,
                heartbeat: 0.5,
                bodySize: 1 << 20,
                status: status,
                receipt: ReceiptUpdate(Data([1]), position: 1)
            ),
            Welcome(version: 2, heartbeat: 5, status: DeviceStatus(), receipt: nil),
        ]
    }

    private static var lines: [UpdateLine] {
        var full = UpdateLine()
        full.status = status
        full.receipt = ReceiptUpdate(Data([1]), position: 1)
        full.receipts = ["1": Data([1])]
        full.batch = batches[0]
        full.hasChanged = true
        full.failure = failures[1]
        return [full, UpdateLine()]
    }
}

import StoreCore
import StoreKitTest
import Testing

/// A session's purchases on terms of Store Kit 2.
@Suite struct BuyWithOptionsTests {
    private let app: TestApp
    private var session: SKTestSession { app.session }

    init() throws { app = try TestApp() }

    @Test func `B226: A purchase returns its transaction, and comes to the app`() async throws {
        let token = UUID()
        let transaction =
            try await session.buyProduct(identifier: "sword", options: [.quantity(3), .appAccountToken(token)])
        #expect(transaction.productID == "sword" && transaction.purchasedQuantity == 3)
        #expect(transaction.appAccountToken == token)
        #expect(app.heard == ["sword purchased"] && app.list == ["0 sword purchased"])
        #expect(transaction.id == 0)
    }

    @Test func `A purchase is an update`() async throws {
        app.shop.finishes = false
        var updates = app.context.run { Transaction.updates.makeAsyncIterator() }
        let bought = try await session.buyProduct(identifier: "castle")
        #expect(try await updates.next()?.payloadValue == bought)
    }

    @Test func `Finishing what was bought before a session was cleared leaves what was bought since`() async throws {
        app.shop.finishes = false
        let former = try await session.buyProduct(identifier: "sword")
        session.clearTransactions()
        let present = try await session.buyProduct(identifier: "castle")
        #expect(former.id == present.id)
        await former.finish()
        #expect(try session.store.device.unfinished.map(\.productIdentifier) == ["castle"])
        await present.finish()
        #expect(try session.store.device.unfinished.isEmpty)
    }

    @Test func `Nothing but the store's rules prevents a purchase`() async throws {
        session.askToBuyEnabled = true
        session.interruptedPurchasesEnabled = true
        session.failTransactionsEnabled = true
        try await session.setSimulatedError(.generic(.unknown), forAPI: .purchase)
        try await session.setSimulatedError(.verification(.invalidSignature), forAPI: .verification)
        #expect(try await session.buyProduct(identifier: "castle").productID == "castle")
    }

    @Test func `A subscription in the past has been renewed until now when the call returns`() async throws {
        let start = app.clock.now - 100 * 86_400
        let transaction = try await session.buyProduct(identifier: "basic.monthly", options: [.purchaseDate(start)])
        #expect(transaction.purchaseDate == start)
        let all = session.allTransactions()
        #expect(all.count == 4 && all.first?.purchaseDate == start)
        #expect(all.allSatisfy { $0.originalTransactionIdentifier == 0 && $0.autoRenewingEnabled })
        #expect(try #require(all.last?.expirationDate) > app.clock.now)
        #expect(zip(all, all.dropFirst()).allSatisfy { $0.expirationDate == $1.purchaseDate })
        #expect(app.heard == Array(repeating: "basic.monthly purchased", count: 4))
    }

    @Test func `A subscription in the past that is canceled has one period`() async throws {
        let start = app.clock.now - 100 * 86_400
        let options: Set<Product.PurchaseOption> = [.purchaseDate(start, renewalBehavior: .cancelImmediately)]
        let transaction = try await session.buyProduct(identifier: "basic.monthly", options: options)
        #expect(try #require(transaction.expirationDate) < app.clock.now)
        #expect(session.allTransactions().map(\.autoRenewingEnabled) == [false])
    }

    @Test func `A sword in the past has its date`() async throws {
        let date = app.clock.now - 1000
        let options: Set<Product.PurchaseOption> = [.purchaseDate(date)]
        #expect(try await session.buyProduct(identifier: "sword", options: options).purchaseDate == date)
    }

    @Test func `An unknown product is the session's error`() async throws {
        let error = await #expect(throws: SKTestError.self) { try await session.buyProduct(identifier: "shield") }
        #expect(error?.code == .invalidProductIdentifier)
    }

    @Test(
        arguments: [
            ("sword", .quantity(11), .invalidQuantity),
            ("castle", .quantity(2), .invalidQuantity),
            ("pro.monthly", .promotionalOffer(id: "autumn"), .invalidOfferIdentifier),
            ("pro.monthly", .codeOffer(referenceName: "spring"), .invalidOfferIdentifier),
            ("pro.monthly", .purchaseDate(.distantFuture), .productUnavailable),
            ("pro.monthly", .purchaseDate(Date(timeIntervalSince1970: .nan)), .productUnavailable),
            ("pro.monthly", .billingPlanType(.monthly), .productUnavailable),
        ] as [(String, Product.PurchaseOption, Product.PurchaseError)]
    )
    func `What the store refuses is the error of a purchase, and buys nothing`(
        product: String,
        option: Product.PurchaseOption,
        refusal: Product.PurchaseError
    ) async throws {
        await #expect(throws: refusal) { try await session.buyProduct(identifier: product, options: [option]) }
        #expect(app.list == [] && app.heard == [])
    }

    @Test func `A subscription is not dated before another of its group`() async throws {
        try session.buyProduct(productIdentifier: "pro.monthly")
        await app.clock.advance(by: 86_400)
        let options: Set<Product.PurchaseOption> = [.purchaseDate(app.clock.now - 10 * 86_400)]
        await #expect(throws: Product.PurchaseError.productUnavailable) {
            try await session.buyProduct(identifier: "basic.monthly", options: options)
        }
    }
}

import StoreCore
import StoreKit
import Testing

@Suite struct OfferCodeTests {
    private let shop: Shop
    private let updates: Transaction.Transactions

    init() throws {
        shop = try Shop(.inline, selling: Shop.offerProducts)
        updates = shop.context.run { Transaction.updates }
    }

    private func next(_ iterator: inout Transaction.Transactions.AsyncIterator) async throws -> Transaction {
        try #require(await iterator.next()).payloadValue
    }

    @Test(arguments: [
        ("FRIENDS", "code FRIENDS FREE_TRIAL 1 Month", "0"),
        ("NEW", "code NEW PAY_UP_FRONT 2 Months", "1.99"),
    ])
    func `A redeemed code is an update, under its offer`(code: String, line: String, price: String) async throws {
        var iterator = updates.makeAsyncIterator()
        let identifier = try shop.store.account.redeem(code: code)
        let transaction = try await next(&iterator)
        #expect(String(transaction.id) == identifier)
        #expect(transaction.productID == "gold" && transaction.offer?.line == line)
        #expect(transaction.price == Decimal(string: price))
        #expect(try shop.charged == Decimal(string: price))
    }

    @Test(arguments: Shop.deliveries)
    func `A code that is entered in the sheet is an update`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery, selling: Shop.offerProducts)
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.store.codeEntry = .redeem(code: "FRIENDS")
        shop.queue.presentCodeRedemptionSheet()
        #expect(try await next(&iterator).offer?.line == "code FRIENDS FREE_TRIAL 1 Month")
    }

    @Test func `A code that was redeemed before the app was launched is an update until it is finished`() async throws {
        try shop.store.account.redeem(code: "FRIENDS")
        for _ in 1...2 {
            var iterator = updates.makeAsyncIterator()
            #expect(try await next(&iterator).offer?.type == .code)
        }
        let unfinished = await shop.run { await Transaction.unfinished.all() }
        #expect(unfinished.map(\.unsafePayloadValue.offer?.id) == ["FRIENDS"])
        for transaction in unfinished { await transaction.unsafePayloadValue.finish() }
        try shop.store.account.buy("coins")
        var iterator = updates.makeAsyncIterator()
        #expect(try await next(&iterator).productID == "coins")
    }

    @Test(arguments: [CodeEntry.cancel, .redeem(code: "NONE"), .redeem(code: "FRIENDS", productIdentifier: "silver")])
    func `A sheet that comes to nothing brings no transaction`(entry: CodeEntry) async throws {
        var iterator = updates.makeAsyncIterator()
        shop.store.codeEntry = entry
        shop.queue.presentCodeRedemptionSheet()
        try shop.store.account.buy("coins")
        // The subscriber hears of what comes next, and of nothing before.
        #expect(try await next(&iterator).productID == "coins")
        #expect(await shop.run { await Transaction.all.all() }.count == 1)
    }

    @Test func `A18: A code for a consumable is an update, under its offer`() async throws {
        var iterator = updates.makeAsyncIterator()
        try shop.store.account.redeem(code: "COINS")
        let transaction = try await next(&iterator)
        #expect(transaction.productID == "coins" && transaction.offer?.line == "code COINS ONE_TIME no period")
        #expect(transaction.price == Decimal(string: "0.49"))
    }

    @Test(arguments: Shop.deliveries)
    func `The sheet returns the transaction, which is an update too`(delivery: StoreDelivery) async throws {
        let shop = try Shop(delivery, selling: Shop.offerProducts)
        var iterator = shop.context.run { Transaction.updates.makeAsyncIterator() }
        shop.store.codeEntry = .redeem(code: "COINS")
        let redeemed = try await shop.redeemed().payloadValue
        #expect(redeemed.productID == "coins" && redeemed.offer?.paymentMode == .oneTime)
        #expect(try await next(&iterator).id == redeemed.id)
        // An offer that begins at the renewal brings the transaction of the period that runs.
        let trial = try await shop.bought("gold")
        shop.store.codeEntry = .redeem(code: "FRIENDS")
        #expect(try await shop.redeemed().payloadValue.id == trial.id)
    }

    @Test func `The sheet throws that the user canceled, or why the code has no effect`() async throws {
        shop.store.codeEntry = .cancel
        let canceled = await #expect(throws: StoreKitError.self) { try await shop.redeemed() }
        guard case .userCancelled? = canceled else {
            Issue.record("\(String(describing: canceled))")
            return
        }
        shop.store.codeEntry = .redeem(code: "NONE")
        let error = await #expect(throws: StoreKitError.self) { try await shop.redeemed() }
        guard case .systemError(let failure as StoreFailure)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(failure.reason.contains("NONE"))
        shop.store.isReachable = false
        let lost = await #expect(throws: StoreKitError.self) { try await shop.redeemed() }
        guard case .networkError? = lost else {
            Issue.record("\(String(describing: lost))")
            return
        }
    }

    @Test func `A code serves an account once`() async throws {
        var iterator = updates.makeAsyncIterator()
        shop.store.codeEntry = .redeem(code: "FRIENDS")
        for _ in 1...2 { shop.queue.presentCodeRedemptionSheet() }
        try shop.store.account.buy("coins")
        #expect(try await next(&iterator).offer?.id == "FRIENDS")
        #expect(try await next(&iterator).productID == "coins")
    }

    @Test func `A code takes the introductory offer's place and leaves the user eligible for it`() async throws {
        var iterator = updates.makeAsyncIterator()
        try shop.store.account.redeem(code: "FRIENDS")
        #expect(try await next(&iterator).offer?.type == .code)
        #expect(try await shop.isEligibleForIntroductoryOffer())
    }

    @Test func `A stackable code's offer follows the introductory one`() async throws {
        var iterator = updates.makeAsyncIterator()
        try shop.store.account.redeem(code: "STACK")
        #expect(try await next(&iterator).offer?.type == .introductory)
        #expect(try await shop.renewal().offer?.line == "code STACK PAY_AS_YOU_GO 3 Months")
        shop.store.advance(by: 8 * 86_400)
        let renewal = try await next(&iterator)
        #expect(renewal.offer?.line == "code STACK PAY_AS_YOU_GO 3 Months" && renewal.price == Decimal(string: "0.49"))
    }

    @Test func `A subscriber who redeems a code has its offer from the renewal on`() async throws {
        var iterator = updates.makeAsyncIterator()
        let trial = try await shop.bought("gold")
        try shop.store.account.redeem(code: "FRIENDS")
        #expect(await shop.run { await Transaction.all.all() }.map(\.unsafePayloadValue.id) == [trial.id])
        #expect(try await shop.renewal().offer?.line == "code FRIENDS FREE_TRIAL 1 Month")
        shop.store.advance(by: 8 * 86_400)
        #expect(try await next(&iterator).offer?.line == "code FRIENDS FREE_TRIAL 1 Month")
    }
}

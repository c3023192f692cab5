import StoreCore
import StoreKit
import Testing

/// What Store Kit 2 does with a store's quirks in the life of a process.
@Suite struct LaunchQuirkTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline) }

    private func updates() -> Transaction.Transactions.AsyncIterator {
        shop.context.run { Transaction.updates.makeAsyncIterator() }
    }

    /// Returns the identifiers of what the next launch is told first, after three renewals during which no app ran.
    private func afterThreeRenewals(_ quirks: Set<StoreQuirk>) async throws -> [UInt64] {
        shop.store.quirks = quirks
        #expect(try await shop.finished("gold").id == 1)
        await shop.context.settle()
        shop.store.advance(by: 100 * 86_400)
        await shop.relaunch()
        var updates = updates()
        return try await shop.updates(&updates).map(\.id)
    }

    @Test(
        arguments: [
            ([], [2, 3, 4]), ([.renewalsNewestFirst], [4, 3, 2]), ([.latestRenewalTwice], [2, 3, 4, 4]),
            ([.finishedPurchaseReturns], [1, 2, 3, 4]),
            ([.renewalsNewestFirst, .latestRenewalTwice, .finishedPurchaseReturns], [4, 4, 3, 2, 1]),
        ] as [(Set<StoreQuirk>, [UInt64])]
    )
    func `C4: Missed renewals arrive newest first, the latest twice, and with a finished purchase`(
        quirks: Set<StoreQuirk>,
        told: [UInt64]
    ) async throws { #expect(try await afterThreeRenewals(quirks) == told) }

    @Test(
        arguments: [
            ([], [2, 3, 4]), ([.listsLate(by: 1)], [2, 3, 4]), ([.renewalsNewestFirst], [4, 3, 2]),
            ([.latestRenewalTwice], [2, 3, 4, 4]), ([.finishedPurchaseReturns], [1, 2, 3, 4]),
            ([.renewalsNewestFirst, .latestRenewalTwice], [4, 4, 3, 2]),
        ] as [(Set<StoreQuirk>, [UInt64])]
    )
    func `C4: A purchase between two missed renewals keeps its place`(quirks: Set<StoreQuirk>, told: [UInt64])
        async throws
    {
        shop.store.quirks = quirks
        _ = try await shop.finished("gold")
        await shop.context.settle()
        shop.store.advance(by: Shop.month)
        #expect(try shop.store.account.buy("sword") == "3")
        shop.store.advance(by: Shop.month)
        await shop.relaunch()
        var updates = updates()
        #expect(try await shop.updates(&updates).map(\.id) == told)
    }

    @Test func `C4: Renewals while the app runs arrive as they are made, each once`() async throws {
        shop.store.quirks = [.renewalsNewestFirst, .latestRenewalTwice, .finishedPurchaseReturns]
        try await shop.bought("gold")
        var updates = updates()
        shop.store.advance(by: 100 * 86_400)
        #expect(try await shop.updates(&updates).map(\.id) == [2, 3, 4])
    }

    @Test func `C4: An unfinished purchase that arrives with its renewals comes once`() async throws {
        shop.store.quirks = [.finishedPurchaseReturns]
        try await shop.bought("gold")
        shop.store.advance(by: Shop.month)
        await shop.relaunch()
        var updates = updates()
        #expect(try await shop.updates(&updates).map(\.id) == [1, 2])
    }

    @Test func `C4: A finished purchase that returned is still finished`() async throws {
        #expect(try await afterThreeRenewals([.finishedPurchaseReturns]).count == 4)
        #expect(await shop.run { await Transaction.unfinished.all() }.map(\.unsafePayloadValue.id) == [2, 3, 4])
    }

    @Test func `C5: Unfinished transactions vanish until the next launch`() async throws {
        shop.store.quirks = [.unfinishedVanishes(after: 1)]
        try shop.store.account.buy("sword")
        let first = await shop.run { await Transaction.unfinished.all() }
        #expect(first.map(\.unsafePayloadValue.productID) == ["sword"])
        shop.store.advance(by: 1)
        #expect(await shop.run { await Transaction.unfinished.all() }.isEmpty)
        await shop.relaunch()
        let again = await shop.run { await Transaction.unfinished.all() }
        #expect(again.map(\.unsafePayloadValue.id) == first.map(\.unsafePayloadValue.id))
        shop.store.advance(by: 1)
        // What has vanished can still be finished.
        for transaction in again { await transaction.unsafePayloadValue.finish() }
        #expect(try shop.store.device.unfinished.isEmpty)
    }

    @Test func `C6: The eligibility for an introductory offer keeps its first answer until the next launch`()
        async throws
    {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        shop.store.quirks = [.keepsEligibility]
        #expect(try await shop.isEligibleForIntroductoryOffer())
        #expect(try await shop.bought("gold").offer?.type == .introductory)
        #expect(try await shop.isEligibleForIntroductoryOffer())
        await shop.relaunch()
        #expect(try await !shop.isEligibleForIntroductoryOffer())
    }

    @Test func `C6: Another store is asked anew`() async throws {
        let shop = try Shop(.inline, selling: Shop.offerProducts)
        let other = try Shop(.inline, selling: Shop.offerProducts)
        try other.store.account.buy("gold")
        for store in [shop.store, other.store] { store.quirks = [.keepsEligibility] }
        #expect(try await shop.isEligibleForIntroductoryOffer())
        shop.context.use(other.store)
        #expect(try await !shop.isEligibleForIntroductoryOffer())
    }

    @Test func `C12: A subscription that was bought here is an update, too`() async throws {
        shop.store.quirks = [.announcesOwnPurchases]
        var updates = updates()
        let transaction = try await shop.finished("gold")
        try await shop.bought("sword")
        #expect(try await shop.updates(&updates).map(\.id) == [transaction.id])
    }

    @Test func `C12: A subscription that is held is not announced when it is ordered again`() async throws {
        try await shop.bought("gold")
        shop.store.quirks = [.announcesOwnPurchases]
        var updates = updates()
        _ = try await shop.finished("gold")
        #expect(try await shop.updates(&updates).isEmpty)
    }

    @Test(arguments: Shop.deliveries)
    func `C17: A revocation arrives in one launch, whether or not anybody listens there`(delivery: StoreDelivery)
        async throws
    {
        for comesOnce in [false, true] {
            let shop = try Shop(delivery)
            shop.store.quirks = comesOnce ? [.revocationComesOnce] : []
            let transaction = try await shop.finished("sword")
            await shop.relaunch()
            try shop.store.refund(String(transaction.id))
            // The first launch after the refund uses Store Kit 2 without listening.
            _ = await shop.run { await Storefront.current }
            await shop.relaunch()
            var updates = shop.context.run { Transaction.updates.makeAsyncIterator() }
            #expect(try await shop.updates(&updates).map(\.id) == (comesOnce ? [] : [transaction.id]))
        }
    }

    @Test func `C17: A revocation that comes once has the identifier that the app has seen`() async throws {
        shop.store.quirks = [.revocationComesOnce]
        let transaction = try await shop.finished("sword")
        await shop.relaunch()
        try shop.store.refund(String(transaction.id))
        var updates = updates()
        let told = try await shop.updates(&updates)
        #expect(told.map(\.id) == [transaction.id])
        #expect(told.first?.revocationDate != nil)
    }
}

import CrossStore
import Foundation
import StoreCore
import StoreKit
import Testing

@Suite struct CrossStoreTests {
    private let till: Till
    private let shop: CrossStore

    init() throws {
        till = try Till()
        shop = till.context.run { CrossStore() }
    }

    @Test func `A product has its price, its period and an offer of each kind`() async throws {
        let products = try await till.run { try await shop.products(["gold", "coins"]) }
        let gold = try #require(products.first { $0.id == "gold" }),
            coins = try #require(products.first { $0.id == "coins" })
        #expect(
            gold.kind == .subscription && abs(gold.price - 3.99) < 0.001 && gold.currency == "USD"
                && gold.groupID == "club"
        )
        #expect(gold.period?.iso8601 == "P1M")
        #expect(gold.offers.map(\.type) == ["introductory", "promotional", "winBack"])
        #expect(gold.offers.map(\.mode) == ["free-trial", "pay-as-you-go", "pay-up-front"])
        #expect(gold.offers.map(\.id) == ["", "spring", "come.back"])
        #expect(gold.terms.map(\.displayPrice) == ["$3.99"])
        #expect(coins.kind == .inApp && coins.period == nil && coins.offers.isEmpty && coins.text == "A purse of coins")
    }

    @Test func `A purchase and its renewal are one value`() async throws {
        let purchase = try await till.run { try await shop.buy(Request("gold")) }
        #expect(purchase.productID == "gold" && purchase.ownership == "purchased" && purchase.reason == "purchase")
        #expect(purchase.offer?.type == "introductory" && purchase.offer?.mode == "free-trial")
        #expect(purchase.renewal?.willAutoRenew == true && purchase.renewal?.pendingChange == nil)
        #expect(purchase.revocation == nil && purchase.environment == "Sandbox" && purchase.country == "USA")
        #expect(await till.run { await shop.isNew(toGroup: "club") } == false)
    }

    @Test func `A part that was refunded is stated in percent`() async throws {
        _ = try await till.run { try await shop.buy(Request("map")) }
        try till.refund("map", percentage: 37.5)
        let purchases = await till.run { await shop.purchases(onlyActive: false) }
        let revocation = try #require(purchases.first?.revocation)
        #expect(revocation.percentage == 37.5 && revocation.type == "REFUND_PRORATED" && revocation.reason == "other")
        #expect(await till.run { await shop.purchases(onlyActive: true) }.isEmpty)
    }

    @Test func `Cancellation, a child's question and an unknown product are the library's errors`() async throws {
        till.store.authorizer = .always(.cancel)
        await #expect(throws: PurchaseError(.userCancelled, "coins")) {
            try await till.run { try await shop.buy(Request("coins")) }
        }
        till.store.authorizer = .always(.askToBuy)
        await #expect(throws: PurchaseError(.deferred, "coins")) {
            try await till.run { try await shop.buy(Request("coins")) }
        }
        await #expect(throws: PurchaseError(.notFound, "nothing")) {
            try await till.run { try await shop.buy(Request("nothing")) }
        }
        till.store.purchaseFailure = .network(.notConnectedToInternet, "There is no network.")
        await #expect(throws: PurchaseError(.network, "coins")) {
            try await till.run { try await shop.buy(Request("coins")) }
        }
    }

    @Test func `A win-back offer is found by its name, and a name that no offer has is refused`() async throws {
        try till.lapse()
        var request = Request("gold")
        request.winBackOffer = "come.back"
        let purchase = try await till.run { try await shop.buy(request) }
        #expect(purchase.offer?.id == "come.back" && purchase.offer?.type == "winBack")
        request.winBackOffer = "stay"
        await #expect(throws: PurchaseError(.developer, "gold")) { try await till.run { try await shop.buy(request) } }
    }

    @Test func `What is not finished at once is finished by its number`() async throws {
        var request = Request("coins")
        request.isFinishedAtOnce = false
        let purchase = try await till.run { try await shop.buy(request) }
        #expect(try till.store.device.unfinished.map(\.id) == [purchase.id])
        try await till.run { try await shop.finish(purchase.id) }
        #expect(try till.store.device.unfinished.isEmpty)
    }

    @Test func `A card that is refused is reported with the subscription that it was to pay for`() async throws {
        try till.store.setGrantsGracePeriod(true)
        var messages = till.context.run { Message.messages.makeAsyncIterator() }
        _ = try await till.run { try await shop.buy(Request("gold")) }
        try till.store.account.setBillingFails(true)
        till.store.advance(by: 8 * 86_400)
        #expect(try await till.run { try await shop.billingIssues(&messages) } == ["gold"])
        let statuses = try await till.run { try await shop.statuses(of: "gold") }
        #expect(try #require(statuses.first?.json).contains("\"gold\""))
    }

    @Test func `The app's own purchase has its first version and platform`() async throws {
        try till.store.setAppPurchase(AppPurchase(version: "3", platform: .macOS))
        let app = try #require(try await till.run { try await shop.app() })
        #expect(app.originalVersion == "3" && app.originalPlatform == "macOS" && app.id?.isEmpty == false)
        #expect(try await till.run { try await shop.country() } == "USA")
    }
}

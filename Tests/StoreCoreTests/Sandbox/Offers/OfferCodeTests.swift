import Foundation
import StoreCore
import Testing

@Suite struct OfferCodeTests {
    private let shop: OfferShop

    init() throws { shop = try OfferShop() }

    private func redeem(_ code: String, in other: OfferShop? = nil) -> StoreFailure? {
        failure { try (other ?? shop).account.redeem(code: code, of: "gold") }
    }

    @Test func `B183: A code that the user types into the sheet leads to an ordinary purchased transaction`() throws {
        shop.store.codeEntry = .redeem(code: "FOR.NEW")
        shop.app.queue.presentCodeRedemptionSheet()
        shop.app.queue.settle()
        #expect(shop.app.recorder.history == [.updated("gold", .purchased), .removed("gold")])
        let transaction = try #require(shop.app.recorder.transactions.first)
        #expect(transaction.transactionDate == shop.market.clock.now && transaction.original == nil)
        #expect(try transaction.error == nil && shop.charged == OfferShop.price("1.99"))
        #expect(shop.metals?.offer?.kind == .code && shop.metals?.offer?.identifier == "FOR.NEW")
        #expect(shop.metals?.expirationDate == Market.date("2025-03-01T00:00:00Z"))
        #expect(try shop.at("2025-03-01T00:00:00Z").charged == OfferShop.price("6.98"))
    }

    @Test func `B183: A user who closes the sheet buys nothing, and the log has nothing to say`() throws {
        let log = LogRecorder()
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline, log: log.log)
        queue.add(shop.app.recorder)
        shop.store.codeEntry = .cancel
        queue.presentCodeRedemptionSheet()
        queue.settle()
        #expect(shop.app.recorder.history.isEmpty && log.lines.isEmpty)
    }

    @Test func `B183: Where nobody said what the user types, or nothing comes of it, the log says why`() throws {
        let log = LogRecorder()
        let queue = SKPaymentQueue(backend: shop.store, delivery: .inline, log: log.log)
        func says(_ words: String, after change: () throws -> Void = {}) throws -> Bool {
            try change()
            queue.presentCodeRedemptionSheet()
            return log.lines.last?.contains(words) == true
        }
        let store = shop.store
        #expect(try says("codeEntry"))
        #expect(try says("NO.SUCH.CODE") { store.codeEntry = .redeem(code: "NO.SUCH.CODE") })
        #expect(try says("silver") { store.codeEntry = .redeem(code: "FOR.NEW", productIdentifier: "silver") })
        store.codeEntry = .redeem(code: "FOR.NEW")
        #expect(try says("not allowed") { try store.setPaymentsAllowed(false) })
        #expect(try says("signed in") { try store.device.signOut() })
        #expect(try says("out of reach") { store.isReachable = false })
        #expect(try log.lines.count == 6 && shop.charged == 0)
    }

    @Test func `B183: A store without a sheet says so in the log`() {
        let log = LogRecorder()
        SKPaymentQueue(backend: ScriptedBackend(), delivery: .inline, log: log.log).presentCodeRedemptionSheet()
        #expect(log.lines.count == 1 && log.lines.last?.contains("no sheet for offer codes") == true)
    }

    @Test func `B183: A store behind a network shows its sheet, and says what went wrong`() async {
        let log = LogRecorder()
        let queue = SKPaymentQueue(backend: SheetStore().asStoreBackend(), delivery: .inline, log: log.log)
        queue.presentCodeRedemptionSheet()
        await queue.settle()
        #expect(log.lines.count == 1 && log.lines.last?.contains("the sheet is at the printer's") == true)
    }

    @Test func `A code redeemed in the store itself is heard of on every device, until one has finished it`() throws {
        let phone = App(on: shop.store, finishes: false)
        let tablet = App(on: try shop.store.addDevice("tablet", signedInTo: shop.account), finishes: false)
        let bob = App(on: try shop.store.addDevice("bob's", signedInTo: try shop.store.addAccount("bob")))
        shop.app.queue.remove(shop.app.recorder)
        let identifier = try shop.account.redeem(code: "FOR.NEW")
        for app in [phone, tablet] { #expect(app.recorder.history == [.updated("gold", .purchased)]) }
        #expect(bob.recorder.history.isEmpty)
        #expect(tablet.recorder.transactions.map(\.transactionIdentifier) == [identifier])
        tablet.queue.finishTransaction(try #require(tablet.recorder.transactions.first))
        #expect(phone.recorder.history.last == .removed("gold"))
        #expect(App(on: shop.store).recorder.history.isEmpty)
    }

    @Test func `An app that is not running hears of a redeemed code at its next launch`() throws {
        shop.app.queue.remove(shop.app.recorder)
        try shop.account.redeem(code: "FOR.NEW")
        let after = try OfferShop(ledger: shop.market.ledger)
        #expect(after.app.recorder.history == [.updated("gold", .purchased), .removed("gold")])
        #expect(after.metals?.offer?.identifier == "FOR.NEW")
    }

    private enum Standing: CaseIterable { case new, existing, expired }

    @Test(arguments: Standing.allCases)
    private func `A code is for those that its offer is for`(standing: Standing) throws {
        switch standing {
        case .new: break
        case .existing: shop.app.buy("silver")
        case .expired: try shop.leave()
        }
        let codes: [(String, Standing)] = [("FOR.NEW", .new), ("FOR.EXISTING", .existing), ("FOR.EXPIRED", .expired)]
        for (code, wanted) in codes where wanted != standing {
            let failure = redeem(code)
            #expect(failure?.isStoreKit(.ineligibleForOffer) == true && failure?.reason.contains(code) == true)
        }
        for (code, wanted) in codes where wanted == standing { #expect(redeem(code) == nil) }
        #expect(shop.metals?.productIdentifier == "gold")
    }

    @Test func `A subscriber of another group is a new one`() throws {
        shop.app.buy("news")
        #expect(redeem("FOR.NEW") == nil)
    }

    @Test func `A code that is not stackable takes the introductory offer's place, which stays for later`() throws {
        #expect(redeem("FOR.NEW") == nil)
        #expect(shop.metals?.offer?.kind == .code && shop.metals?.waitingOffer == nil)
        try shop.account.setAutoRenew(false, inGroup: "metals")
        shop.at("2025-04-01T00:00:00Z").app.buy("gold")
        #expect(shop.metals?.introductoryOffer == .freeTrial)
    }

    @Test func `A stackable code follows the introductory offer`() throws {
        #expect(redeem("STACK") == nil)
        #expect(shop.metals?.introductoryOffer == .freeTrial && shop.metals?.waitingOffer?.identifier == "STACK")
        #expect(try shop.charged == 0)
        shop.market.advance(to: "2025-01-08T00:00:00Z")
        #expect(try shop.metals?.offer?.identifier == "STACK" && shop.charged == OfferShop.price("1.99"))
        #expect(try shop.at("2025-02-08T00:00:00Z").charged == OfferShop.price("3.98"))
        #expect(try shop.at("2025-03-08T00:00:00Z").charged == OfferShop.price("8.97"))
    }

    @Test func `A stackable code begins at once where the introductory offer has been used`() throws {
        shop.app.buy("gold")
        try shop.account.setAutoRenew(false, inGroup: "metals")
        shop.market.advance(to: "2025-02-01T00:00:00Z")
        #expect(redeem("STACK") == nil)
        #expect(shop.metals?.offer?.identifier == "STACK")
    }

    @Test func `An account redeems an offer once, also in a store opened again on its ledger`() throws {
        #expect(redeem("TWICE") == nil)
        #expect(redeem("TWICE")?.isStoreKit(.ineligibleForOffer) == true)
        let bob = try shop.store.addAccount("bob")
        try bob.redeem(code: "TWICE")
        #expect(bob.subscription(inGroup: "metals") != nil)
        #expect(try redeem("TWICE", in: OfferShop(ledger: shop.market.ledger))?.reason.contains("before") == true)
    }

    @Test func `Of several products behind one code the first is bought, unless another is named`() throws {
        try shop.account.redeem(code: "TWICE")
        #expect(shop.metals?.productIdentifier == "gold")
        let bob = try shop.store.addAccount("bob")
        try bob.redeem(code: "TWICE", of: "silver")
        #expect(bob.subscription(inGroup: "metals")?.productIdentifier == "silver")
    }

    @Test func `A code for what is not on sale buys nothing`() throws {
        try shop.store.setAvailability(.withdrawn, of: "gold")
        #expect(redeem("FOR.NEW")?.isStoreKit(.paymentInvalid) == true && shop.metals == nil)
    }

    @Test func `Offer codes of a file that Xcode wrote are redeemed by their reference names`() throws {
        let products = try RealFile.load("apple__sample-food-truck__Products").products
        let shop = try OfferShop(products)
        let yearly = try #require(products.first { $0.identifier == "socialfeedplus.yearly" }?.subscription)
        let code = try #require(yearly.offerCodes.first?.offer.referenceName)
        try shop.account.redeem(code: code, of: "socialfeedplus.yearly")
        #expect(shop.account.subscriptions.first?.offer?.identifier == code)
    }

    @Test func `The receipts of a term name the code that brought it`() throws {
        let app = App(on: shop.store, finishes: false)
        shop.app.queue.remove(shop.app.recorder)
        #expect(shop.store.appReceipt == nil)
        try shop.account.redeem(code: "FOR.NEW")
        let receipt = try #require(app.recorder.transactions.first?.transactionReceipt)
        let fields = shop.store.verify(receipt: receipt).fields
        #expect(fields["offer_code_ref_name"] == "FOR.NEW" && fields["promotional_offer_id"] == nil)
        let purchases = try shop.store.purchases()
        #expect(purchases.map(\.productIdentifier) == ["gold"])
        #expect(purchases.first?.subscription?.promotionalOfferIdentifier == nil)
    }

    @Test func `What a code brought is restored like any other purchase`() throws {
        try shop.account.redeem(code: "FOR.NEW")
        shop.app.queue.settle()
        shop.app.recorder.clear()
        shop.app.restore()
        #expect(shop.app.received == [.updated("gold", .restored)])
    }
}

/// A store that has lost its sheet.
private struct SheetStore: AsyncStoreBackend, AsyncOfferCodeService {
    func submit(_ commands: [StoreCommand]) async throws {}
    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {}
    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer { ProductsAnswer(products: []) }
    func presentCodeRedemptionSheet() async throws -> String? {
        throw StoreFailure.storeKit(.unknown, "the sheet is at the printer's")
    }
}

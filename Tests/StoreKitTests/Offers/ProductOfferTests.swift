import StoreCore
import StoreKit
import Testing

@Suite struct ProductOfferTests {
    private let shop: Shop

    init() throws { shop = try Shop(.inline, selling: Shop.offerProducts) }

    @Test func `A product shows its introductory offer, which has no identifier`() async throws {
        let offer = try #require(try await shop.subscription("gold").introductoryOffer)
        #expect(offer.id == nil && offer.type == .introductory && offer.paymentMode == .freeTrial)
        #expect(offer.price == 0 && offer.displayPrice == "$0.00")
        #expect("\(offer.period)" == "1 Week")
        #expect(offer.periodCount == 1)
    }

    @Test func `A product shows its promotional offers, whoever the user is`() async throws {
        let offers = try await shop.subscription("gold").promotionalOffers
        #expect(offers.map(\.id) == ["spring", "quarter", "gift", "no.gain"])
        #expect(offers.allSatisfy { $0.type == .promotional })
        #expect(offers.map(\.paymentMode) == [.payAsYouGo, .payUpFront, .freeTrial, .payAsYouGo])
        #expect(offers.map(\.displayPrice) == ["$0.99", "$5.99", "$0.00", "$3.99"])
        #expect(offers.map(\.periodCount) == [2, 1, 1, 1])
        #expect(offers.map { "\($0.period)" } == ["1 Month", "3 Months", "2 Weeks", "1 Month"])
    }

    @Test func `A product shows its win-back offers, eligible or not`() async throws {
        let offers = try await shop.subscription("gold").winBackOffers
        #expect(offers.map(\.id) == ["come.back", "not.you"] && offers.allSatisfy { $0.type == .winBack })
    }

    @Test func `A product without offers shows none, and what does not renew has no terms`() async throws {
        let silver = try await shop.subscription("silver")
        #expect(silver.introductoryOffer == nil && silver.promotionalOffers.isEmpty && silver.winBackOffers.isEmpty)
        let coins = try await shop.run { try await Product.products(for: ["coins"]) }.first
        #expect(try #require(coins).subscription == nil)
    }

    @Test func `Terms of payment have the offers of one kind`() async throws {
        let terms = try #require(try await shop.subscription("gold").pricingTerms.first)
        #expect(terms[offers: .introductory].map(\.id) == [nil])
        #expect(terms[offers: .winBack].map(\.id) == ["come.back", "not.you"])
        #expect(terms[offers: .promotional].count == 4)
    }
}

import StoreCore
import StoreKit
import Testing

@Suite struct TransactionOfferTests {
    private func offer(_ change: (inout TransactionPayload) -> Void) async throws -> Transaction.Offer? {
        try await TransactionPayload.sample(change).signed().result().payloadValue.offer
    }

    @Test func `An offer has its payload's values`() async throws {
        let offer = try #require(
            await offer {
                $0.offerType = .promotional
                $0.offerIdentifier = "spring"
                $0.offerDiscountType = .payAsYouGo
                $0.offerPeriod = "P2M"
            }
        )
        #expect(offer.type == .promotional && offer.id == "spring" && offer.paymentMode == .payAsYouGo)
        #expect(offer.period?.unit == .month && offer.period?.value == 2)
    }

    @Test func `An offer needs nothing but a type`() async throws {
        let offer = try #require(await offer { $0.offerType = .introductory })
        #expect(offer.type == .introductory && offer.id == nil && offer.paymentMode == nil)
        #expect(offer.period == nil)
        #expect(try await self.offer { $0.offerIdentifier = "spring" } == nil)
    }

    @Test(arguments: [
        ("P3D", Product.SubscriptionPeriod.Unit.day, 3), ("P1W", .week, 1), ("P12M", .month, 12), ("P1Y", .year, 1),
        ("P7D", .day, 7),
    ])
    func `A length has its own unit`(text: String, unit: Product.SubscriptionPeriod.Unit, value: Int) async throws {
        let offer = try await offer { ($0.offerType, $0.offerPeriod) = (.code, text) }
        #expect(offer?.period?.unit == unit && offer?.period?.value == value)
    }

    @Test(arguments: ["", "P", "P0D", "1M", "PM", "P1H", "P1M1D", "P1M ", "P-1M", "P99999D"])
    func `A length that is not one number of one unit is none`(text: String) async throws {
        #expect(try #require(await offer { ($0.offerType, $0.offerPeriod) = (.code, text) }).period == nil)
    }

    @Test(arguments: [
        (1, Transaction.OfferType.introductory), (2, .promotional), (3, .code), (4, .winBack), (5, .init(rawValue: 5)),
    ])
    func `Each type of offer has its number`(number: Int, type: Transaction.OfferType) async throws {
        #expect(try await offer { $0.offerType = .init(rawValue: number) }?.type == type)
    }

    @Test(arguments: [
        ("FREE_TRIAL", Transaction.Offer.PaymentMode.freeTrial), ("PAY_AS_YOU_GO", .payAsYouGo),
        ("PAY_UP_FRONT", .payUpFront), ("ONE_TIME", .oneTime),
    ])
    func `Each way to pay has its name`(name: String, mode: Transaction.Offer.PaymentMode) async throws {
        let offer = try await offer {
            $0.offerType = .promotional
            $0.offerDiscountType = .init(rawValue: name)
        }
        #expect(offer?.paymentMode == mode)
    }

    @Test func `Each type of offer has words of its own, and others are unknown`() {
        let types = (1...5).map { Transaction.OfferType(rawValue: $0) }
        #expect(Set(types.map(\.localizedDescription)).count == 5)
        #expect(Transaction.OfferType(rawValue: 5).localizedDescription == "Unknown")
    }
}

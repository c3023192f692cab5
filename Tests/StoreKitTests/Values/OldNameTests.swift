import StoreCore
import StoreKit
import Testing

/// The strings from before their types, which can be read through a protocol without a warning.
private protocol OldNames {
    var environmentStringRepresentation: String { get }
    var currencyCode: String? { get }
    var offerType: Transaction.OfferType? { get }
    var offerID: String? { get }
    var offerPaymentModeStringRepresentation: String? { get }
    var offerPeriodStringRepresentation: String? { get }
}

private protocol OldTransactionNames: OldNames {
    var reasonStringRepresentation: String { get }
    var storefrontCountryCode: String { get }
}

private protocol OldAppTransactionNames {
    var originalPlatformStringRepresentation: String { get }
    var storeTypeStringRepresentation: String { get }
}

extension Transaction: OldTransactionNames {}
extension Product.SubscriptionInfo.RenewalInfo: OldNames {}
extension AppTransaction: OldAppTransactionNames {}

@Suite struct OldNameTests {
    private func check(_ names: any OldNames) {
        #expect(names.environmentStringRepresentation == "Sandbox" && names.currencyCode == "EUR")
        #expect(names.offerType == .promotional && names.offerID == "spring")
        #expect(names.offerPaymentModeStringRepresentation == "FREE_TRIAL")
        #expect(names.offerPeriodStringRepresentation == "P1M")
    }

    @Test func `A transaction's old names have the raw values`() async throws {
        let payload = TransactionPayload.sample {
            $0.currency = "EUR"
            $0.offerType = .promotional
            $0.offerIdentifier = "spring"
            $0.offerDiscountType = .freeTrial
            $0.offerPeriod = "P1M"
            $0.transactionReason = .renewal
            $0.storefront = "DEU"
        }
        let names: any OldTransactionNames = try await payload.signed().result().payloadValue
        check(names)
        #expect(names.reasonStringRepresentation == "RENEWAL" && names.storefrontCountryCode == "DEU")
    }

    @Test func `Renewal information's old names have the raw values`() async throws {
        let payload = RenewalPayload.sample {
            $0.currency = "EUR"
            $0.offerType = .promotional
            $0.offerIdentifier = "spring"
            $0.offerDiscountType = .freeTrial
            $0.offerPeriod = "P1M"
        }
        check(try await payload.signed().result().payloadValue)
    }

    @Test func `An app transaction's old names have the raw values`() async throws {
        let names: any OldAppTransactionNames = try await AppTransactionPayload.sample().signed().result().payloadValue
        #expect(names.originalPlatformStringRepresentation == "" && names.storeTypeStringRepresentation == "CONSUMER")
    }
}

import Foundation

/// Packs payloads into bytes: field after field, with words by their number.
struct PayloadPacker {
    private var bytes = BinaryEncoder()
    private let words: WordTable

    /// Returns the bytes of payloads, and adds new words to a table.
    static func pack(
        _ transaction: TransactionPayload,
        _ renewal: RenewalPayload?,
        status: Int?,
        _ words: WordTable
    ) -> [UInt8] {
        var packer = PayloadPacker(words: words)
        packer.add(transaction)
        packer.add(status)
        if let renewal { packer.add(renewal) }
        return Array(packer.bytes.data)
    }

    private init(words: WordTable) { self.words = words }

    private mutating func add(_ payload: TransactionPayload) {
        bytes.add(payload.transactionId)
        bytes.add(payload.originalTransactionId)
        bytes.add(payload.webOrderLineItemId ?? "")
        for word in [
            payload.bundleId, payload.productId, payload.type.rawValue, payload.environment,
            payload.inAppOwnershipType.rawValue, payload.subscriptionGroupIdentifier, payload.appAccountToken,
            payload.revocationType?.rawValue, payload.storefront, payload.storefrontId,
            payload.transactionReason?.rawValue, payload.currency, payload.appTransactionId,
            payload.billingPlanType?.rawValue,
        ] {
            add(word: word)
        }
        for date in [payload.purchaseDate, payload.originalPurchaseDate, payload.signedDate] { add(date) }
        add(payload.expiresDate)
        add(payload.revocationDate)
        bytes.add(payload.quantity)
        add(payload.revocationReason?.rawValue)
        add(payload.revocationPercentage)
        add(payload.isUpgraded.map { $0 ? 1 : 0 })
        add(payload.price.map { Int($0) })
        addOffer(payload.offerType, payload.offerIdentifier, payload.offerDiscountType, payload.offerPeriod)
    }

    private mutating func add(_ payload: RenewalPayload) {
        bytes.add(payload.originalTransactionId)
        for word in [
            payload.productId, payload.autoRenewProductId, payload.environment, payload.currency,
            payload.appAccountToken, payload.appTransactionId, payload.renewalBillingPlanType?.rawValue,
        ] {
            add(word: word)
        }
        bytes.add(payload.autoRenewStatus.rawValue)
        for date in [
            payload.signedDate, payload.renewalDate, payload.gracePeriodExpiresDate,
            payload.recentSubscriptionStartDate,
        ] {
            add(date)
        }
        add(payload.renewalPrice.map { Int($0) })
        add(payload.expirationIntent?.rawValue)
        add(payload.isInBillingRetryPeriod.map { $0 ? 1 : 0 })
        add(payload.priceIncreaseStatus?.rawValue)
        addOffer(payload.offerType, payload.offerIdentifier, payload.offerDiscountType, payload.offerPeriod)
        add(payload.eligibleWinBackOfferIds?.count)
        for offer in payload.eligibleWinBackOfferIds ?? [] { add(word: offer) }
    }

    private mutating func addOffer(
        _ type: TransactionPayload.OfferType?,
        _ identifier: String?,
        _ discount: TransactionPayload.OfferDiscountType?,
        _ period: String?
    ) {
        add(type?.rawValue)
        if type == nil { return }
        add(word: identifier)
        add(word: discount?.rawValue)
        add(word: period)
    }

    private mutating func add(word: String?) { bytes.add(words.number(of: word)) }
    private mutating func add(_ date: PayloadDate?) { add(date.map { Int($0.milliseconds) }) }

    private mutating func add(_ number: Int?) {
        bytes.add(number == nil ? 0 : 1 as UInt8)
        if let number { bytes.add(number) }
    }
}

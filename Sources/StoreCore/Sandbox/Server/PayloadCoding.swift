import Foundation

/// Encodes payloads as bytes, field after field, with words replaced by their numbers in a table.
struct PayloadPacker {
    private var bytes = BinaryEncoder()
    private let words: WordTable

    /// Returns the encoded payloads, and adds new words to a table.
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
            payload.billingPlanType?.rawValue, payload.bundleProductId, payload.bundleSubscriptionGroupIdentifier,
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
        add(payload.commitmentInfo?.billingPeriodNumber)
        if let commitment = payload.commitmentInfo {
            bytes.add(commitment.totalBillingPeriods)
            add(commitment.commitmentExpiresDate)
            add(commitment.commitmentPrice.map { Int($0) })
        }
        for number in [
            payload.bundleTransactionId, payload.bundleOriginalTransactionId, payload.previousOriginalTransactionId,
        ] {
            bytes.add(number ?? "")
        }
        addRare(payload.advancedCommerceInfo)
    }

    private mutating func add(_ payload: RenewalPayload) {
        bytes.add(payload.originalTransactionId)
        for word in [
            payload.productId, payload.autoRenewProductId, payload.environment, payload.currency,
            payload.appAccountToken, payload.appTransactionId, payload.renewalBillingPlanType?.rawValue,
            payload.bundleProductId, payload.bundleSubscriptionGroupIdentifier,
        ] {
            add(word: word)
        }
        bytes.add(payload.autoRenewStatus.rawValue)
        bytes.add(payload.bundleOriginalTransactionId ?? "")
        add(payload.willUnbundle.map { $0 ? 1 : 0 })
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
        add(payload.commitmentInfo?.commitmentAutoRenewStatus.rawValue)
        if let commitment = payload.commitmentInfo {
            add(word: commitment.commitmentAutoRenewProductId)
            add(word: commitment.commitmentRenewalBillingPlanType.rawValue)
            add(commitment.commitmentRenewalDate)
            add(commitment.commitmentRenewalPrice.map { Int($0) })
        }
        addRare(payload.advancedCommerceInfo)
    }

    private mutating func addRare(_ value: (some Encodable)?) {
        bytes.add(value == nil ? 0 : 1 as UInt8)
        if let value { bytes.add(json: value) }
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

/// Decodes the bytes of a ``PayloadPacker``.
struct PayloadUnpacker {
    private var bytes: BinaryDecoder
    private let words: WordTable

    /// Returns the decoded payloads, and the state of the subscription.
    ///
    /// - Throws: an error for bytes that were not packed with this table.
    static func unpack(
        _ bytes: [UInt8],
        _ words: WordTable
    ) throws -> (TransactionPayload, RenewalPayload?, status: Int?) {
        var unpacker = PayloadUnpacker(bytes: BinaryDecoder(Data(bytes)), words: words)
        let transaction = try unpacker.transaction()
        let status = try unpacker.number()
        return (transaction, unpacker.bytes.isAtEnd ? nil : try unpacker.renewal(), status)
    }

    private init(bytes: BinaryDecoder, words: WordTable) {
        self.bytes = bytes
        self.words = words
    }

    private mutating func transaction() throws -> TransactionPayload {
        let identifier = try bytes.text()
        let original = try bytes.text()
        let period = try bytes.text()
        let bundle = try requiredWord()
        let product = try requiredWord()
        let type: TransactionPayload.ProductType = try required(value())
        let environment = try requiredWord()
        let ownership: TransactionPayload.OwnershipType = try required(value())
        var payload = TransactionPayload(
            transactionId: identifier,
            bundleId: bundle,
            productId: product,
            type: type,
            purchaseDate: PayloadDate(milliseconds: 0),
            environment: environment,
            signedDate: PayloadDate(milliseconds: 0)
        )
        payload.originalTransactionId = original
        payload.webOrderLineItemId = period.isEmpty ? nil : period
        payload.inAppOwnershipType = ownership
        payload.subscriptionGroupIdentifier = try word()
        payload.appAccountToken = try word()
        payload.revocationType = try value()
        payload.storefront = try word()
        payload.storefrontId = try word()
        payload.transactionReason = try value()
        payload.currency = try word()
        payload.appTransactionId = try word()
        payload.billingPlanType = try value()
        payload.bundleProductId = try word()
        payload.bundleSubscriptionGroupIdentifier = try word()
        payload.purchaseDate = try required(date())
        payload.originalPurchaseDate = try required(date())
        payload.signedDate = try required(date())
        payload.expiresDate = try date()
        payload.revocationDate = try date()
        payload.quantity = try bytes.int()
        payload.revocationReason = try numbered()
        payload.revocationPercentage = try number()
        payload.isUpgraded = try number().map { $0 != 0 }
        payload.price = try number().map { Int64($0) }
        payload.offerType = try numbered()
        if payload.offerType != nil {
            payload.offerIdentifier = try word()
            payload.offerDiscountType = try value()
            payload.offerPeriod = try word()
        }
        if let number = try number() {
            payload.commitmentInfo = .init(
                billingPeriodNumber: number,
                totalBillingPeriods: try bytes.int(),
                commitmentExpiresDate: try required(date()),
                commitmentPrice: try self.number().map { Int64($0) }
            )
        }
        payload.bundleTransactionId = try optionalText()
        payload.bundleOriginalTransactionId = try optionalText()
        payload.previousOriginalTransactionId = try optionalText()
        payload.advancedCommerceInfo = try rare()
        return payload
    }

    private mutating func renewal() throws -> RenewalPayload {
        let original = try bytes.text()
        let product = try requiredWord()
        let next = try requiredWord()
        let environment = try requiredWord()
        var payload = RenewalPayload(
            originalTransactionId: original,
            productId: product,
            autoRenewProductId: next,
            autoRenewStatus: .off,
            environment: environment,
            signedDate: PayloadDate(milliseconds: 0)
        )
        payload.currency = try word()
        payload.appAccountToken = try word()
        payload.appTransactionId = try word()
        payload.renewalBillingPlanType = try value()
        payload.bundleProductId = try word()
        payload.bundleSubscriptionGroupIdentifier = try word()
        payload.autoRenewStatus = try required(RenewalPayload.AutoRenewStatus(rawValue: bytes.int()))
        payload.bundleOriginalTransactionId = try optionalText()
        payload.willUnbundle = try number().map { $0 != 0 }
        payload.signedDate = try required(date())
        payload.renewalDate = try date()
        payload.gracePeriodExpiresDate = try date()
        payload.recentSubscriptionStartDate = try date()
        payload.renewalPrice = try number().map { Int64($0) }
        payload.expirationIntent = try numbered()
        payload.isInBillingRetryPeriod = try number().map { $0 != 0 }
        payload.priceIncreaseStatus = try numbered()
        payload.offerType = try numbered()
        if payload.offerType != nil {
            payload.offerIdentifier = try word()
            payload.offerDiscountType = try value()
            payload.offerPeriod = try word()
        }
        if let count = try number() {
            payload.eligibleWinBackOfferIds = try (0..<count).map { _ in try requiredWord() }
        }
        if let status = try number() {
            payload.commitmentInfo = .init(
                commitmentAutoRenewProductId: try requiredWord(),
                commitmentAutoRenewStatus: .init(rawValue: status),
                commitmentRenewalBillingPlanType: try required(value()),
                commitmentRenewalDate: try required(date()),
                commitmentRenewalPrice: try number().map { Int64($0) }
            )
        }
        payload.advancedCommerceInfo = try rare()
        return payload
    }

    private mutating func rare<Value: Decodable>() throws -> Value? {
        try bytes.byte() == 0 ? nil : bytes.json(Value.self)
    }

    private mutating func word() throws -> String? { try words.word(bytes.int()) }
    private mutating func optionalText() throws -> String? {
        let text = try bytes.text()
        return text.isEmpty ? nil : text
    }

    private mutating func requiredWord() throws -> String { try required(word()) }
    private mutating func date() throws -> PayloadDate? { try number().map { PayloadDate(milliseconds: Int64($0)) } }

    private mutating func number() throws -> Int? { try bytes.byte() == 0 ? nil : bytes.int() }

    private mutating func value<Value: RawRepresentable<String>>() throws -> Value? {
        try word().flatMap { Value(rawValue: $0) }
    }

    private mutating func numbered<Value: RawRepresentable<Int>>() throws -> Value? {
        try number().flatMap { Value(rawValue: $0) }
    }

    private func required<Value>(_ value: Value?) throws -> Value {
        guard let value else { throw BinaryDecoder.Trouble() }
        return value
    }
}

/// A table of words that occur in many payloads, each stored once.
final class WordTable {
    private var words: [String] = []
    private var numbers: [String: Int] = [:]

    /// Returns a word's number, from 1; 0 for none.
    func number(of word: String?) -> Int {
        guard let word else { return 0 }
        if let known = numbers[word] { return known }
        words.append(word)
        numbers[word] = words.count
        return words.count
    }

    /// Returns the word of a number, nil for 0.
    func word(_ number: Int) throws -> String? {
        if number == 0 { return nil }
        guard words.indices.contains(number - 1) else { throw BinaryDecoder.Trouble() }
        return words[number - 1]
    }
}

import Foundation

/// The members of a request of the Advanced Commerce API, both of an app and of a server.
struct AdvancedCommerceMembers: Decodable {
    let operation: String?
    let version: String?
    let requestInfo: Info?
    let transactionId: String?
    let previousTransactionId: String?
    let targetProductId: String?
    let storefront: String?
    let currency: String?
    let taxCode: String?
    let period: String?
    let descriptors: Descriptors?
    let item: Item?
    let items: [Item?]?
    let renewalItems: [Item?]?
    let addItems: [Item?]?
    let changeItems: [Item?]?
    let removeItems: [Item?]?
    let periodChange: PeriodChange?
    let retainBillingCycle: Bool?
    let refundRiskingPreference: Bool?
    let refundType: String?
    let refundReason: String?

    struct Info: Decodable {
        let requestReferenceId: String?
        let appAccountToken: String?
        let consistencyToken: String?
    }

    struct Descriptors: Decodable {
        let displayName: String?
        let description: String?
        let effective: String?
    }

    struct PeriodChange: Decodable {
        let period: String?
        let effective: String?
    }

    struct Offer: Decodable {
        let price: Int64?
        let period: String?
        let periodCount: Int?
        let reason: String?
    }

    struct Item: Decodable {
        let SKU: String?
        let currentSKU: String?
        let displayName: String?
        let description: String?
        let price: Int64?
        let proratedPrice: Int64?
        let offer: Offer?
        let reason: String?
        let effective: String?
        let dependentSKUs: [String]?
        let refundType: String?
        let refundReason: String?
        let refundAmount: Int64?
        let revoke: Bool?
    }

    /// Reads the members, each of which may be absent.
    ///
    /// - Throws: ``AdvancedCommerceFault/malformedPayload`` for data that is no such JSON.
    init(_ json: Data) throws(AdvancedCommerceFault) {
        do { self = try UntrustedJSON.decode(Self.self, from: json) } catch { throw .malformedPayload }
    }

    // MARK: Values

    var info: AdvancedCommerceRequestInfo {
        get throws(AdvancedCommerceFault) {
            guard let requestInfo else { throw .nullRequestInfo }
            guard let text = requestInfo.requestReferenceId else { throw .nullRequestReferenceID }
            guard let reference = UUID(uuidString: text) else { throw .invalidRequestReferenceID }
            let token = requestInfo.appAccountToken.map { UUID(uuidString: $0) }
            if case .some(nil) = token { throw .invalidAppAccountToken }
            return AdvancedCommerceRequestInfo(
                reference: reference,
                appAccountToken: token ?? nil,
                consistencyToken: requestInfo.consistencyToken
            )
        }
    }

    var requiredCurrency: String {
        get throws(AdvancedCommerceFault) {
            guard let currency else { throw .nullCurrency }
            return currency
        }
    }

    var requiredTaxCode: String {
        get throws(AdvancedCommerceFault) {
            guard let taxCode else { throw .nullTaxCode }
            return try Self.valid(taxCode: taxCode)
        }
    }

    /// Returns a tax code such as `C003-00-2`.
    static func valid(taxCode: String) throws(AdvancedCommerceFault) -> String {
        guard taxCode.wholeMatch(of: #/[A-Z][0-9]{3}-[0-9]{2}-[0-9]{1,2}/#) != nil else { throw .invalidTaxProductCode }
        return taxCode
    }

    /// Returns the length of a subscription's period.
    static func period(_ text: String?) throws(AdvancedCommerceFault) -> StoreProduct.Period {
        guard let text else { throw .nullPeriod }
        guard ["P1W", "P1M", "P2M", "P3M", "P6M", "P1Y"].contains(text), let period = StoreProduct.Period(iso8601: text)
        else { throw .invalidRenewalPeriod }
        return period
    }

    /// Returns the elements of a list that is not empty.
    static func items(
        _ list: [Item?]?,
        else empty: AdvancedCommerceFault = .nullItems
    ) throws(AdvancedCommerceFault) -> [Item] {
        guard let list else { throw .nullItems }
        guard !list.isEmpty else { throw empty }
        let items = list.compactMap(\.self)
        guard items.count == list.count else { throw .nullItem }
        return items
    }

    /// Returns whether a change takes effect now, rather than at the next renewal.
    static func isImmediate(_ effective: String?) throws(AdvancedCommerceFault) -> Bool {
        switch effective {
        case nil: throw .nullEffective
        case "IMMEDIATELY": return true
        case "NEXT_BILL_CYCLE": return false
        default: throw .malformedPayload
        }
    }

    /// The modification that the members describe, regardless of the subscription.
    var modification: AdvancedCommerceModification {
        get throws(AdvancedCommerceFault) {
            guard let retainBillingCycle else { throw .nullRetainBillingCycle }
            func list(_ items: [Item?]?) throws(AdvancedCommerceFault) -> [Item] {
                items == nil ? [] : try Self.items(items, else: .emptyAddChangeItems)
            }
            let additions = try list(addItems).map { item throws(AdvancedCommerceFault) in
                AdvancedCommerceModification.Addition(
                    item: try item.priced(hasOffer: true),
                    proratedPrice: try item.prorated(isRetained: retainBillingCycle)
                )
            }
            let changes = try list(changeItems).map { item throws(AdvancedCommerceFault) in
                try Self.change(item, isRetained: retainBillingCycle)
            }
            let removals = try list(removeItems).map { item throws(AdvancedCommerceFault) in try item.requiredSKU }
            let texts = try descriptors.map { texts throws(AdvancedCommerceFault) in
                AdvancedCommerceModification.Replacement(
                    value: try texts.value,
                    isImmediate: try Self.isImmediate(texts.effective)
                )
            }
            let length = try periodChange.map { change throws(AdvancedCommerceFault) in
                AdvancedCommerceModification.Replacement(
                    value: try Self.period(change.period),
                    isImmediate: try Self.isImmediate(change.effective)
                )
            }
            let modification = AdvancedCommerceModification(
                additions: additions,
                changes: changes,
                removals: removals,
                descriptors: texts,
                period: length,
                taxCode: try taxCode.map { code throws(AdvancedCommerceFault) in try Self.valid(taxCode: code) },
                retainsBillingCycle: retainBillingCycle
            )
            if let fault = modification.fault { throw fault }
            return modification
        }
    }

    private static func change(
        _ item: Item,
        isRetained: Bool
    ) throws(AdvancedCommerceFault) -> AdvancedCommerceModification.Change {
        guard let currentSKU = item.currentSKU else { throw .nullCurrentSKU }
        guard item.SKU != nil else { throw .nullNewSKU }
        let isImmediate = try Self.isImmediate(item.effective)
        guard let reason = item.reason else { throw .nullReason }
        guard ["UPGRADE", "DOWNGRADE", "APPLY_OFFER"].contains(reason) else { throw .invalidChangeReason }
        if !isImmediate, item.proratedPrice != nil { throw .invalidProratedPriceForLaterChange }
        return AdvancedCommerceModification.Change(
            sku: currentSKU,
            item: try item.priced(hasOffer: true),
            isImmediate: isImmediate,
            appliesOffer: reason == "APPLY_OFFER",
            proratedPrice: try item.prorated(isRetained: isRetained)
        )
    }
}

extension AdvancedCommerceMembers.Descriptors {
    /// The texts, both of which are required.
    var value: AdvancedCommerceDescriptors {
        get throws(AdvancedCommerceFault) {
            AdvancedCommerceDescriptors(
                displayName: try AdvancedCommerceMembers.Item.valid(displayName: displayName),
                description: try AdvancedCommerceMembers.Item.valid(description: description)
            )
        }
    }
}

extension AdvancedCommerceMembers.Item {
    /// The highest price, in thousandths, so that a sum fits 64 bits.
    private static var maximumPrice: Int64 { 1_000_000_000_000 }

    static func valid(displayName: String?) throws(AdvancedCommerceFault) -> String {
        guard let displayName else { throw .nullDisplayName }
        guard !displayName.isEmpty else { throw .invalidDisplayName }
        guard displayName.count <= 30 else { throw .displayNameLengthExceeded }
        return displayName
    }

    static func valid(description: String?) throws(AdvancedCommerceFault) -> String {
        guard let description else { throw .nullDescription }
        guard !description.isEmpty else { throw .invalidDescription }
        guard description.count <= 45 else { throw .descriptionLengthExceeded }
        return description
    }

    var requiredSKU: String {
        get throws(AdvancedCommerceFault) {
            guard let SKU else { throw .nullSKU }
            guard !SKU.isEmpty else { throw .invalidSKU }
            guard SKU.count <= 128 else { throw .skuLengthExceeded }
            return SKU
        }
    }

    static func valid(price: Int64?) throws(AdvancedCommerceFault) -> Int64 {
        guard let price else { throw .nullPrice }
        guard price >= 0 else { throw .negativePrice }
        guard price <= maximumPrice else { throw .malformedPayload }
        return price
    }

    /// Returns the item with a price that the request does not have.
    func renamed(price: Int64) throws(AdvancedCommerceFault) -> AdvancedCommerceItem {
        AdvancedCommerceItem(
            sku: try requiredSKU,
            displayName: try Self.valid(displayName: displayName),
            description: try Self.valid(description: description),
            price: price
        )
    }

    /// Returns the item with its price, and with its offer if it may have one.
    func priced(hasOffer: Bool) throws(AdvancedCommerceFault) -> AdvancedCommerceItem {
        var item = AdvancedCommerceItem(
            sku: try requiredSKU,
            displayName: try Self.valid(displayName: displayName),
            description: try Self.valid(description: description),
            price: try Self.valid(price: price)
        )
        if hasOffer, let offer { item.offer = try offer.value(below: item.price) }
        return item
    }

    /// Returns the price for the rest of the period, if the request has one.
    fileprivate func prorated(isRetained: Bool) throws(AdvancedCommerceFault) -> Int64? {
        guard let proratedPrice else { return nil }
        guard proratedPrice >= 0 else { throw .negativeProratedPrice }
        guard isRetained, proratedPrice <= price ?? 0 else { throw .invalidProratedPrice }
        return proratedPrice
    }
}

extension AdvancedCommerceMembers.Offer {
    fileprivate func value(below full: Int64) throws(AdvancedCommerceFault) -> AdvancedCommerceItem.Offer {
        guard let text = period else { throw .nullOfferPeriod }
        guard ["P3D", "P1W", "P2W", "P1M", "P2M", "P3M", "P6M", "P9M", "P1Y"].contains(text),
            let period = StoreProduct.Period(iso8601: text)
        else { throw .invalidOfferPeriod }
        guard let periodCount else { throw .nullPeriodCount }
        guard periodCount > 0 else { throw .periodCountNotPositive }
        guard periodCount <= 12 else { throw .invalidOfferPeriodCount }
        guard let reason else { throw .nullReason }
        guard ["ACQUISITION", "RETENTION", "WIN_BACK"].contains(reason) else { throw .invalidOfferReason }
        let price = try AdvancedCommerceMembers.Item.valid(price: price)
        guard price < full else { throw .invalidOfferPrice }
        guard price > 0 || periodCount == 1 else { throw .freeTrialMustUsePeriodCountOfOne }
        return AdvancedCommerceItem.Offer(
            price: price,
            period: period,
            periodCount: periodCount,
            reason: reason,
            remaining: periodCount - 1
        )
    }
}

extension AdvancedCommerceModification {
    /// The first defect that does not depend on the subscription; nil if there is none.
    fileprivate var fault: AdvancedCommerceFault? {
        let hasItems = !additions.isEmpty || !changes.isEmpty
        if !hasItems, removals.isEmpty, descriptors == nil, period == nil, taxCode == nil {
            return .oneItemNeededInModify
        }
        let named = additions.map(\.item.sku) + changes.map(\.sku) + removals
        if Set(named.map(ExactText.init)).count < named.count { return .multipleOperationsOnSingleSKU }
        let hasLaterItems = changes.contains { !$0.isImmediate }
        if let period {
            if period.isImmediate, hasLaterItems { return .periodChangeImmediateWithEffectiveAtNextBillingCycle }
            if period.isImmediate, retainsBillingCycle { return .periodResetWithRetainBillingCycle }
            let hasImmediateItems = !additions.isEmpty || changes.contains(where: \.isImmediate)
            if !period.isImmediate, hasImmediateItems { return .periodChangeEffectiveConflict }
        }
        guard !retainsBillingCycle else { return nil }
        if hasLaterItems || descriptors?.isImmediate == false || period?.isImmediate == false {
            return .billingCycleResetWithEffectiveLater
        }
        return !removals.isEmpty && !hasItems ? .removeItemsWithoutAddOrChangeItems : nil
    }
}

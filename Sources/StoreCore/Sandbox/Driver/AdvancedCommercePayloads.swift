import Foundation

// The information about Advanced Commerce in payloads.
extension PayloadBuilder {
    /// Returns the information about a transaction; nil if it is not one of Advanced Commerce.
    ///
    /// The store charges no taxes.
    func advancedCommerceInfo(
        of transaction: GrantedTransaction,
        _ refund: Refund?,
        _ cancellation: Date?
    ) -> TransactionPayload.AdvancedCommerceInfo? {
        guard let purchase = state.server.advancedCommerce[transaction.number] else { return nil }
        let content = purchase.content
        var info = TransactionPayload.AdvancedCommerceInfo(
            requestReferenceId: content.reference.uuidString.lowercased(),
            taxCode: content.taxCode,
            items: zip(content.items, purchase.paid).map { item, paid in
                let own = purchase.refunds.filter { $0.refund.sku.isExactly(item.sku) }
                var shown = TransactionPayload.AdvancedCommerceInfo.Item(
                    SKU: item.sku,
                    displayName: item.displayName,
                    description: item.description,
                    price: item.price
                )
                shown.offer = item.offer.map(TransactionPayload.AdvancedCommerceInfo.Offer.init)
                var refunds = own.map(TransactionPayload.AdvancedCommerceInfo.ItemRefund.init)
                if refunds.isEmpty, let refund, let cancellation { refunds = [.init(refund, of: paid, cancellation)] }
                shown.refunds = refunds.isEmpty ? nil : refunds
                let revocation = own.last { $0.refund.isRevoked }?.date ?? cancellation
                shown.revocationDate = revocation.map { PayloadDate($0) }
                return shown
            }
        )
        info.descriptors = content.descriptors.map(TransactionPayload.AdvancedCommerceInfo.Descriptors.init)
        info.period = content.period?.iso8601
        info.taxExclusivePrice = transaction.price
        info.estimatedTax = 0
        info.taxRate = "0"
        return info
    }

    /// Returns the information about a subscription's renewal; nil if it is not one of Advanced Commerce.
    func advancedCommerceInfo(of subscription: SubscriptionIndex) -> RenewalPayload.AdvancedCommerceInfo? {
        guard let known = state.server.advancedCommerce[subscription] else { return nil }
        let next = known.next
        return RenewalPayload.AdvancedCommerceInfo(
            requestReferenceId: next.reference.uuidString.lowercased(),
            consistencyToken: state.server.advancedCommerce.consistencyToken(of: subscription),
            taxCode: next.taxCode,
            descriptors: .init(next.descriptors ?? .init(displayName: "", description: "")),
            period: next.period?.iso8601 ?? "",
            items: next.items.map { item in
                var shown = RenewalPayload.AdvancedCommerceInfo.Item(
                    SKU: item.sku,
                    displayName: item.displayName,
                    description: item.description,
                    price: item.price
                )
                shown.offer = item.offer.map(TransactionPayload.AdvancedCommerceInfo.Offer.init)
                shown.priceIncreaseInfo = known.increases[item.sku].map { increase in
                    .init(
                        price: increase.price,
                        dependentSKUs: increase.dependentSKUs.isEmpty ? nil : increase.dependentSKUs,
                        status: "SCHEDULED"
                    )
                }
                return shown
            }
        )
    }
}

extension TransactionPayload.AdvancedCommerceInfo.Descriptors {
    fileprivate init(_ descriptors: AdvancedCommerceDescriptors) {
        self.init(displayName: descriptors.displayName, description: descriptors.description)
    }
}

extension TransactionPayload.AdvancedCommerceInfo.Offer {
    fileprivate init(_ offer: AdvancedCommerceItem.Offer) {
        self.init(
            price: offer.price,
            period: offer.period.iso8601,
            periodCount: offer.periodCount,
            reason: offer.reason
        )
    }
}

extension TransactionPayload.AdvancedCommerceInfo.ItemRefund {
    fileprivate init(_ refund: AdvancedCommerceState.DatedRefund) {
        self.init(
            refundAmount: refund.refund.amount,
            refundDate: PayloadDate(refund.date),
            refundReason: refund.refund.reason,
            refundType: refund.refund.type
        )
    }

    /// Creates an item's share, by what was paid for it, in a refund of the whole transaction that names no items.
    fileprivate init(_ refund: Refund, of paid: Int64, _ date: Date) {
        let amount = refund.amount(of: Decimal(paid))
        self.init(
            refundAmount: Int64((amount as NSDecimalNumber).doubleValue.rounded()),
            refundDate: PayloadDate(date),
            refundReason: "OTHER",
            refundType: refund.percentage == nil ? "FULL" : "PRORATED"
        )
    }
}

import Foundation

extension TransactionPayload {
    /// The information about a purchase that a request of the Advanced Commerce API described.
    public struct AdvancedCommerceInfo: Hashable, Codable, Sendable {
        /// The identifier of the request, chosen by the developer's server.
        public var requestReferenceId: String
        /// The code of the tax category.
        public var taxCode: String
        /// The items that were bought.
        public var items: [Item]
        /// A subscription's texts; nil for a one-time charge.
        public var descriptors: Descriptors?
        /// A subscription's period in ISO 8601; nil for a one-time charge.
        public var period: String?
        /// The price without taxes, in thousandths of the currency's unit; nil if it is unknown.
        public var taxExclusivePrice: Int64?
        /// The estimated taxes, in thousandths of the currency's unit; 0 in a ``SandboxStore``, which charges none.
        public var estimatedTax: Int64?
        /// The tax rate as a decimal number; `0` in a ``SandboxStore``.
        public var taxRate: String?

        /// Creates the information about a one-time charge; all other properties can be set afterwards.
        public init(requestReferenceId: String, taxCode: String, items: [Item]) {
            self.requestReferenceId = requestReferenceId
            self.taxCode = taxCode
            self.items = items
        }
    }
}

extension TransactionPayload.AdvancedCommerceInfo {
    /// An item of a purchase.
    public struct Item: Hashable, Codable, Sendable {
        /// The item's identifier.
        public var SKU: String
        /// The item's name.
        public var displayName: String
        /// The item's description.
        public var description: String
        /// The item's price without the offer, in thousandths of the currency's unit.
        public var price: Int64
        /// The offer that applies to the item; nil for none.
        public var offer: Offer?
        /// The refunds of the item; nil for none.
        public var refunds: [ItemRefund]?
        /// The date since which the item is revoked; nil if it is not.
        public var revocationDate: PayloadDate?

        /// Creates an item; all other properties can be set afterwards.
        public init(SKU: String, displayName: String, description: String, price: Int64) {
            self.SKU = SKU
            self.displayName = displayName
            self.description = description
            self.price = price
        }
    }

    /// A refund of an item.
    public struct ItemRefund: Hashable, Codable, Sendable {
        /// The amount, in thousandths of the currency's unit.
        public var refundAmount: Int64
        /// The date.
        public var refundDate: PayloadDate
        /// The reason, such as `LEGAL`.
        public var refundReason: String
        /// The extent: `FULL`, `PRORATED` or `CUSTOM`.
        public var refundType: String

        /// Creates a refund.
        public init(refundAmount: Int64, refundDate: PayloadDate, refundReason: String, refundType: String) {
            self.refundAmount = refundAmount
            self.refundDate = refundDate
            self.refundReason = refundReason
            self.refundType = refundType
        }
    }

    /// The texts of a subscription.
    public struct Descriptors: Hashable, Codable, Sendable {
        /// The name.
        public var displayName: String
        /// The description.
        public var description: String

        /// Creates texts.
        public init(displayName: String, description: String) {
            self.displayName = displayName
            self.description = description
        }
    }

    /// A reduced price of an item.
    public struct Offer: Hashable, Codable, Sendable {
        /// The price of a period, in thousandths of the currency's unit.
        public var price: Int64
        /// The period in ISO 8601.
        public var period: String
        /// The number of periods.
        public var periodCount: Int
        /// The reason: `ACQUISITION`, `RETENTION` or `WIN_BACK`.
        public var reason: String

        /// Creates an offer.
        public init(price: Int64, period: String, periodCount: Int, reason: String) {
            self.price = price
            self.period = period
            self.periodCount = periodCount
            self.reason = reason
        }
    }
}

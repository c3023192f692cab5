import Foundation

extension RenewalPayload {
    /// The information about the renewal of a subscription of the Advanced Commerce API.
    public struct AdvancedCommerceInfo: Hashable, Codable, Sendable {
        /// The identifier of the request, chosen by the developer's server.
        public var requestReferenceId: String
        /// The token that changes with each change of the renewal; a server sends it to avoid overwriting a change.
        public var consistencyToken: String
        /// The code of the tax category.
        public var taxCode: String
        /// The subscription's texts.
        public var descriptors: TransactionPayload.AdvancedCommerceInfo.Descriptors
        /// The period in ISO 8601.
        public var period: String
        /// The items of the next period.
        public var items: [Item]

        /// Creates the information.
        public init(
            requestReferenceId: String,
            consistencyToken: String,
            taxCode: String,
            descriptors: TransactionPayload.AdvancedCommerceInfo.Descriptors,
            period: String,
            items: [Item]
        ) {
            self.requestReferenceId = requestReferenceId
            self.consistencyToken = consistencyToken
            self.taxCode = taxCode
            self.descriptors = descriptors
            self.period = period
            self.items = items
        }
    }
}

extension RenewalPayload.AdvancedCommerceInfo {
    /// An item of a subscription.
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
        public var offer: TransactionPayload.AdvancedCommerceInfo.Offer?
        /// The increase of the item's price; nil for none.
        public var priceIncreaseInfo: PriceIncreaseInfo?

        /// Creates an item; all other properties can be set afterwards.
        public init(SKU: String, displayName: String, description: String, price: Int64) {
            self.SKU = SKU
            self.displayName = displayName
            self.description = description
            self.price = price
        }
    }

    /// An increase of an item's price.
    public struct PriceIncreaseInfo: Hashable, Codable, Sendable {
        /// The new price, in thousandths of the currency's unit.
        public var price: Int64
        /// The items whose increases depend on this one; nil for none.
        public var dependentSKUs: [String]?
        /// The state: `SCHEDULED`, `PENDING` or `ACCEPTED`.
        public var status: String

        /// Creates an increase.
        public init(price: Int64, dependentSKUs: [String]?, status: String) {
            self.price = price
            self.dependentSKUs = dependentSKUs
            self.status = status
        }
    }
}

import Foundation

extension Product.SubscriptionInfo.RenewalInfo {
    /// What Apple's Advanced Commerce API adds: always nil, since no other store has it.
    public var advancedCommerceInfo: AdvancedCommerceInfo? { nil }

    /// Information about a subscription that Apple's Advanced Commerce API described.
    public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
        /// The token that orders changes to the subscription.
        public let consistencyToken: String
        /// The identifier that the developer's server gave the request.
        public let requestReferenceID: String
        /// The code of the tax category.
        public let taxCode: String
        /// The subscription's name.
        public let displayName: String
        /// The subscription's description.
        public let description: String
        /// The subscription's period.
        public let period: SubscriptionPeriod
        /// The items of the next period.
        public let items: [Item]

        /// An item of a subscription.
        public struct Item: Equatable, Hashable, Sendable {
            /// The description of an item.
            public typealias Details = Transaction.AdvancedCommerceInfo.Item.Details

            /// The item itself.
            public let details: Product.SubscriptionInfo.RenewalInfo.AdvancedCommerceInfo.Item.Details
            /// The increase of the item's price; nil for none.
            public let priceIncreaseInfo: PriceIncreaseInfo?

            /// An increase of an item's price.
            public struct PriceIncreaseInfo: Equatable, Hashable, Sendable {
                /// The new price.
                public let price: Decimal
                /// The items that the increase depends on.
                public let dependentSKUs: [String]
                /// The state of the increase.
                public let status: Status

                /// The state of a price increase.
                public struct Status: RawRepresentable, Equatable, Hashable, Sendable {
                    /// The value in the payload.
                    public let rawValue: String
                    /// Creates a state, which may be one that is not listed here.
                    public init(rawValue: String) { self.rawValue = rawValue }

                    /// The user consented.
                    public static let accepted = Status(rawValue: "ACCEPTED")
                    /// The user was asked for consent and has not answered.
                    public static let pending = Status(rawValue: "PENDING")
                    /// The user will be asked or told later.
                    public static let scheduled = Status(rawValue: "SCHEDULED")
                }
            }
        }
    }
}

import Foundation
import StoreCore

extension Transaction {
    /// The information about a purchase by a request of the Advanced Commerce API; nil for any other purchase.
    public var advancedCommerceInfo: AdvancedCommerceInfo? {
        payload.advancedCommerceInfo.map(AdvancedCommerceInfo.init)
    }

    /// Information about a purchase that a request of the Advanced Commerce API described.
    public struct AdvancedCommerceInfo: Equatable, Hashable, Sendable {
        /// The identifier of the request, chosen by the developer's server.
        public let requestReferenceID: String
        /// The code of the tax category.
        public let taxCode: String
        /// The price without taxes, in the transaction's currency; 0 if the store does not report it.
        public let taxExclusivePrice: Decimal
        /// The tax rate; 0 if the store does not report it, and in a sandbox store, which charges no taxes.
        public let taxRate: Decimal
        /// The estimated taxes, in the transaction's currency; 0 if the store does not report them.
        public let estimatedTax: Decimal
        /// The items that were bought.
        public let items: [Item]
        /// A subscription's description; nil for one-time purchases.
        public let description: String?
        /// A subscription's name; nil for one-time purchases.
        public let displayName: String?
        /// A subscription's period; nil for one-time purchases.
        public let period: SubscriptionPeriod?
    }
}

extension Transaction.AdvancedCommerceInfo {
    /// An item of a purchase.
    public struct Item: Equatable, Hashable, Sendable {
        /// The item itself.
        public let details: Details
        /// The refunds of the item; nil for none.
        public let refunds: [Refund]?
        /// The date since which the item is revoked; nil if it is not.
        public let revocationDate: Date?

        /// The description of an item.
        public struct Details: Equatable, Hashable, Sendable {
            /// The item's identifier.
            public let sku: String
            /// The item's name.
            public let displayName: String
            /// The item's description.
            public let description: String
            /// The item's price.
            public let price: Decimal
            /// The offer that applies to the item; nil for none.
            public let offer: Offer?
            /// The partners who share in the price.
            public let partners: [Partner]
        }
    }

    /// A partner who shares in an item's price.
    public struct Partner: Equatable, Hashable, Sendable {
        /// The partner's identifier.
        public let id: String
        /// The partner's name; nil for none.
        public let name: String?
    }

    /// A reduced price for an item.
    public struct Offer: Equatable, Hashable, Sendable {
        /// The price of one period.
        public let price: Decimal
        /// The period.
        public let period: SubscriptionPeriod
        /// The number of periods.
        public let periodCount: Int
        /// The reason for the offer.
        public let reason: Reason

        /// A reason for an offer.
        public struct Reason: Equatable, Hashable, RawRepresentable, Sendable {
            /// The value in the payload.
            public let rawValue: String
            /// Creates a reason, which may be one that is not listed here.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// To win a subscriber.
            public static let acquisition = Reason(rawValue: "ACQUISITION")
            /// To retain a subscriber.
            public static let retention = Reason(rawValue: "RETENTION")
            /// To win back a lapsed subscriber.
            public static let winBack = Reason(rawValue: "WIN_BACK")
        }
    }
}

extension Transaction.AdvancedCommerceInfo {
    /// A refund of an item.
    public struct Refund: Equatable, Hashable, Sendable {
        /// The amount.
        public let amount: Decimal
        /// The date.
        public let date: Date
        /// The reason.
        public let reason: Reason
        /// The extent of the refund: the whole price, or a part.
        public let type: RefundType

        /// A reason for a refund.
        public struct Reason: Equatable, Hashable, RawRepresentable, Sendable {
            /// The value in the payload.
            public let rawValue: String
            /// Creates a reason, which may be one that is not listed here.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A legal obligation.
            public static let legal = Reason(rawValue: "LEGAL")
            /// A change of the subscription's items.
            public static let modifyItems = Reason(rawValue: "MODIFY_ITEMS_REFUND")
            /// Any other reason.
            public static let other = Reason(rawValue: "OTHER")
            /// The item was not delivered.
            public static let unfulfilled = Reason(rawValue: "FULFILLMENT_ISSUE")
            /// The user did not mean to buy.
            public static let unintended = Reason(rawValue: "UNINTENDED_PURCHASE")
            /// The user did not like the item.
            public static let unsatisfied = Reason(rawValue: "UNSATISFIED_WITH_PURCHASE")
        }

        /// The extent of a refund.
        public struct RefundType: Equatable, Hashable, RawRepresentable, Sendable {
            /// The value in the payload.
            public let rawValue: String
            /// Creates an extent, which may be one that is not listed here.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// An amount that the developer chose.
            public static let custom = RefundType(rawValue: "CUSTOM")
            /// The whole price.
            public static let full = RefundType(rawValue: "FULL")
            /// The part of the price for the remainder of the period.
            public static let proRated = RefundType(rawValue: "PRORATED")
        }
    }
}

// Values from payloads. No store of this library knows partners.
extension Transaction.AdvancedCommerceInfo {
    init(_ payload: TransactionPayload.AdvancedCommerceInfo) {
        self.init(
            requestReferenceID: payload.requestReferenceId,
            taxCode: payload.taxCode,
            taxExclusivePrice: Decimal(thousandths: payload.taxExclusivePrice ?? 0),
            taxRate: payload.taxRate.flatMap { Decimal(string: $0) } ?? 0,
            estimatedTax: Decimal(thousandths: payload.estimatedTax ?? 0),
            items: payload.items.map { item in
                Item(
                    details: Item.Details(
                        sku: item.SKU,
                        displayName: item.displayName,
                        description: item.description,
                        price: Decimal(thousandths: item.price),
                        offer: item.offer.flatMap(Offer.init),
                        partners: []
                    ),
                    refunds: item.refunds.map { $0.map(Refund.init) },
                    revocationDate: item.revocationDate?.date
                )
            },
            description: payload.descriptors?.description,
            displayName: payload.descriptors?.displayName,
            period: payload.period.flatMap(SubscriptionPeriod.init(iso8601:))
        )
    }
}

extension Transaction.AdvancedCommerceInfo.Offer {
    init?(_ payload: TransactionPayload.AdvancedCommerceInfo.Offer) {
        guard let period = SubscriptionPeriod(iso8601: payload.period) else { return nil }
        self.init(
            price: Decimal(thousandths: payload.price),
            period: period,
            periodCount: payload.periodCount,
            reason: Reason(rawValue: payload.reason)
        )
    }
}

extension Transaction.AdvancedCommerceInfo.Refund {
    init(_ payload: TransactionPayload.AdvancedCommerceInfo.ItemRefund) {
        self.init(
            amount: Decimal(thousandths: payload.refundAmount),
            date: payload.refundDate.date,
            reason: Reason(rawValue: payload.refundReason),
            type: RefundType(rawValue: payload.refundType)
        )
    }
}

extension Product.SubscriptionPeriod {
    /// Creates a period from its ISO 8601 form; nil for any other text.
    init?(iso8601 text: String) {
        guard let period = StoreProduct.Period(iso8601: text) else { return nil }
        self.init(period)
    }
}

import Foundation

extension Transaction.AdvancedCommerceInfo {
    /// A refund of an item.
    public struct Refund: Equatable, Hashable, Sendable {
        /// The amount.
        public let amount: Decimal
        /// The date.
        public let date: Date
        /// The reason.
        public let reason: Reason
        /// Whether the whole price was refunded, or which part.
        public let type: RefundType

        /// A reason for a refund.
        public struct Reason: Equatable, Hashable, RawRepresentable, Sendable {
            /// The value in the payload.
            public let rawValue: String
            /// Creates a reason, which may be one that is not listed here.
            public init(rawValue: String) { self.rawValue = rawValue }

            /// A law or a court.
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
            /// The part of the price for the rest of the period.
            public static let proRated = RefundType(rawValue: "PRORATED")
        }
    }
}

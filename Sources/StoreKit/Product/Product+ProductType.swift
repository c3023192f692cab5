import Foundation
import StoreCore

extension Product {
    /// The kind of a product, an open set.
    public struct ProductType: RawRepresentable, Equatable, Hashable, Sendable {
        /// The value in signed transactions.
        public let rawValue: String
        /// Creates a kind, which may be one that is not listed here.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Used up, and bought again each time.
        public static let consumable = ProductType(rawValue: "Consumable")
        /// Bought once.
        public static let nonConsumable = ProductType(rawValue: "Non-Consumable")
        /// Lasts for as long as the app decides.
        public static let nonRenewable = ProductType(rawValue: "Non-Renewing Subscription")
        /// Charged again at the end of each period.
        public static let autoRenewable = ProductType(rawValue: "Auto-Renewable Subscription")
        /// Several subscriptions at one price, which no sandbox store sells.
        public static let subscriptionBundle = ProductType(rawValue: "Subscription Bundle")
        /// Several apps' subscriptions at one price, which no sandbox store sells.
        public static let subscriptionSuite = ProductType(rawValue: "Subscription Suite")

        /// The kind in English.
        public var localizedDescription: String { rawValue }

        init(_ product: StoreProduct) {
            switch product.kind {
            case .consumable: self = .consumable
            case .nonConsumable: self = .nonConsumable
            case .nonRenewing: self = .nonRenewable
            case .autoRenewable: self = .autoRenewable
            case nil: self = product.subscription?.groupIdentifier == nil ? .consumable : .autoRenewable
            }
        }
    }
}

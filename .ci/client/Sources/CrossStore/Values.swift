import Foundation

// Named as Store Kit's own types are: the module's files say `StoreKit.Product` where they mean that one.

/// A product of any store.
package struct Product: Equatable, Sendable {
    package let id: String
    package let title: String
    package let text: String
    package let kind: Kind
    package let price: Double
    package let displayPrice: String
    package let currency: String
    package let isFamilyShareable: Bool
    package let period: SubscriptionPeriod?
    package let groupID: String?
    package let offers: [SubscriptionOffer]
    package let terms: [PricingTerms]
    package let members: [String]
    package let json: String

    package enum Kind: Sendable { case inApp, subscription, bundle, suite }
}

/// A length of time.
package struct SubscriptionPeriod: Equatable, Sendable {
    package let unit: Unit
    package let value: Int

    package enum Unit: String, Sendable { case day, week, month, year, unknown }

    /// The length as ISO 8601 has it.
    package var iso8601: String { "P\(value)\(unit.rawValue.prefix(1).uppercased())" }
}

/// A discount.
package struct SubscriptionOffer: Equatable, Sendable {
    package let id: String
    package let type: String
    package let mode: String
    package let price: Double
    package let displayPrice: String
    package let period: SubscriptionPeriod
    package let periodCount: Int
}

/// A price with a commitment.
package struct PricingTerms: Equatable, Sendable {
    package let plan: String
    package let price: Double
    package let displayPrice: String
    package let period: SubscriptionPeriod
    package let total: Double
    package let commitment: SubscriptionPeriod
    package let offers: [String]
}

/// A purchase from any store.
package struct Purchase: Equatable, Sendable {
    package let id: String
    package let originalID: String?
    package let productID: String
    package let bundleID: String
    package let token: String
    package let date: Double
    package let expirationDate: Double?
    package let quantity: Int
    package let country: String
    package let currency: String?
    package let environment: String?
    package let account: String?
    package let group: String?
    package let ownership: String
    package let reason: String
    package let revocation: Revocation?
    package let offer: (id: String, type: String, mode: String)?
    package let plan: String?
    package let billingPeriods: Int?
    package let isUpgraded: Bool
    package let renewal: Renewal?
    package let metadata: [String: String]

    package struct Revocation: Equatable, Sendable {
        package let date: Double
        package let reason: String
        package let type: String?
        package let percentage: Double?
    }

    package static func == (left: Purchase, right: Purchase) -> Bool {
        left.id == right.id && left.revocation == right.revocation && left.renewal == right.renewal
    }
}

/// How a subscription goes on.
package struct Renewal: Equatable, Sendable {
    package let willAutoRenew: Bool
    package let preference: String?
    package let pendingChange: String?
    package let expirationReason: String?
    package let graceEnd: Double?
    package let isInBillingRetry: Bool
    package let priceIncrease: String
    package let date: Double?
    package let offerID: String?
    package let committedPrice: Double?
    package let willUnbundle: Bool
}

/// The purchase of the app itself.
package struct AppTransaction: Equatable, Sendable {
    package let id: String?
    package let appID: Double
    package let version: String
    package let versionID: Double
    package let bundle: String
    package let environment: String
    package let originalVersion: String
    package let originalDate: Double
    package let originalPlatform: String?
    package let preorderDate: Double?
    package let hash: String
    package let nonce: String
}

extension Date {
    var milliseconds: Double { timeIntervalSince1970 * 1_000 }
}

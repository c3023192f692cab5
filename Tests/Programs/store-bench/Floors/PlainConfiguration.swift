import Foundation

/// A `.storekit` file as plain structs, nothing checked and nothing looked up.
struct PlainConfiguration: Codable {
    var identifier: String
    var nonRenewingSubscriptions: [Product]
    var products: [Product]
    var settings: Settings
    var subscriptionGroups: [Group]
    var version: Version

    /// Reads a file, and returns its number of products.
    static func load(_ file: URL) throws -> Int {
        try JSONDecoder().decode(PlainConfiguration.self, from: Data(contentsOf: file)).productCount
    }

    private var productCount: Int {
        products.count + nonRenewingSubscriptions.count + subscriptionGroups.reduce(0) { $0 + $1.subscriptions.count }
    }
}

extension PlainConfiguration {
    /// A product that is sold once, or many times.
    struct Product: Codable {
        var displayPrice: String
        var familyShareable: Bool
        var internalID: String
        var localizations: [Localization]
        var productID: String
        var referenceName: String?
        var type: String
    }

    /// A name and a description in one language.
    struct Localization: Codable {
        var description: String
        var displayName: String
        var locale: String
    }

    /// A group of subscriptions of which a customer has one at a time.
    struct Group: Codable {
        var id: String
        var localizations: [Localization]
        var name: String
        var subscriptions: [Subscription]
    }

    /// A subscription, paid for repeatedly.
    struct Subscription: Codable {
        var adHocOffers: [Offer]
        var codeOffers: [Offer]
        var displayPrice: String
        var familyShareable: Bool
        var groupNumber: Int
        var internalID: String
        var introductoryOffer: Offer?
        var localizations: [Localization]
        var productID: String
        var recurringSubscriptionPeriod: String
        var referenceName: String?
        var subscriptionGroupID: String
        var type: String
        var winbackOffers: [Offer]?
    }

    /// A temporary price of a subscription.
    struct Offer: Codable {
        var displayPrice: String?
        var eligibility: [String]?
        var internalID: String
        var isEligible: Bool?
        var isStackable: Bool?
        var numberOfPeriods: Int?
        var offerID: String?
        var paymentMode: String
        var referenceName: String?
        var subscriptionPeriod: String
    }

    /// The store's settings, under the keys of the file.
    struct Settings: Codable {
        var _disableDialogs: Bool?
        var _locale: String?
        var _storefront: String?
        var _timeRate: Int?
    }

    /// The generation of Xcode that wrote the file.
    struct Version: Codable {
        var major: Int
        var minor: Int
    }
}

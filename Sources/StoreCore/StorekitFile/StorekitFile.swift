/// The keys of a `.storekit` file that are read, under the file's names; `StorekitFileKeys` lists them too.
///
/// Optional keys have optional types. Whole numbers are read as `Double`, because the decoder reports a file with `1.5`
/// for an `Int` as invalid JSON. Products are classes, since passing a structure would retain most of its many fields.
struct StorekitFile: Decodable {
    struct Version: Decodable {
        let major: Double
        let minor: Double?
    }

    final class Product: Decodable {
        let productID: String
        let type: String?
        let referenceName: String?
        let displayPrice: String
        let familyShareable: Bool?
        let internalID: String?
        let localizations: [Localization]?
        let codeOffers: [OneTimeOffer]?
    }

    struct Localization: Decodable {
        let locale: String?
        let displayName: String?
        let description: String?
    }

    struct Group: Decodable {
        let id: String
        let name: String?
        let localizations: [Localization]?
        let subscriptions: [Subscription]?
    }

    final class Subscription: Decodable {
        let productID: String
        let type: String?
        let referenceName: String?
        let displayPrice: String
        let familyShareable: Bool?
        let internalID: String?
        let localizations: [Localization]?
        let subscriptionGroupID: String?
        let groupNumber: Double?
        let recurringSubscriptionPeriod: String?
        let introductoryOffer: Offer?
        let introductoryOffers: [Offer]?
        let adHocOffers: [Offer]?
        let codeOffers: [Offer]?
        let winbackOffers: [Offer]?
        let billingPlans: [BillingPlan]?
        // The keys of suites and bundles (format 6), which take the place of two of those above.
        let duration: String?
        let isFamilyShareable: Bool?
        let members: [Member]?
    }

    /// A member of a suite or a bundle: an identifier, or an object with one; nil for anything else.
    struct Member: Decodable {
        private struct Names: Decodable {
            let productID: String?
            let internalID: String?
            let referenceName: String?
        }

        let identifier: String?

        init(from decoder: any Decoder) {
            let text = try? decoder.singleValueContainer().decode(String.self)
            let names = text == nil ? try? Names(from: decoder) : nil
            identifier = text ?? names?.productID ?? names?.internalID ?? names?.referenceName
        }
    }

    struct BillingPlan: Decodable {
        let billingPlanType: String?
        let displayPrice: String?
        let commitmentDisplayPrice: String?
        let isEnabled: Bool?
    }

    struct Offer: Decodable {
        let paymentMode: String
        let subscriptionPeriod: String
        let numberOfPeriods: Double?
        let displayPrice: String?
        let offerID: String?
        let referenceName: String?
        let eligibility: [String]?
        let isStackable: Bool?
        let isEligible: Bool?
        let billingPlanType: String?
    }

    /// An offer of a product that does not renew.
    ///
    /// No file with one is known: its keys are those of a subscription's offer, as far as they apply.
    struct OneTimeOffer: Decodable {
        let paymentMode: String?
        let displayPrice: String?
        let referenceName: String?
        let eligibility: [String]?
    }

    struct KeyPair: Decodable {
        let id: String?
        let privateKey: String?
    }

    let identifier: String?
    let version: Version
    let products: [Product]?
    let nonRenewingSubscriptions: [Product]?
    let subscriptionGroups: [Group]?
    let subscriptionSuiteGroups: [Group]?
    let subscriptionBundleGroups: [Group]?
    let settings: Settings?
    let subscriptionOffersKeyPair: KeyPair?
}

extension StorekitFile {
    struct Settings: Decodable {
        let _locale: String?
        let _storefront: String?
        let _timeRate: Double?
        let _compatibilityTimeRate: CompatibilityRate?
        let _askToBuyEnabled: Bool?
        let _billingIssuesEnabled: Bool?
        let _renewalBillingIssuesEnabled: Bool?
        let _billingGracePeriodEnabled: Bool?
        let _disableDialogs: Bool?
        let _failTransactionsEnabled: Bool?
        let _storeKitError: Double?
        let _storeKitErrors: [ForcedError]?
        let _applicationInternalID: String?
        let _developerTeamID: String?
        let _lastSynchronizedDate: Double?
    }

    struct ForcedError: Decodable {
        struct Choice: Decodable {
            let type: String
            let index: Double
        }

        let name: String
        let enabled: Bool?
        let current: Choice?
    }

    /// A compatibility rate: a number up to format 2.0, an object in later formats.
    enum CompatibilityRate: Decodable {
        case one(Double)
        case byGeneration([String: Double])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let rate = try? container.decode(Double.self) {
                self = .one(rate)
            } else {
                self = .byGeneration(try container.decode([String: Double].self))
            }
        }
    }
}

/// The place of a product or one of its offers in a `.storekit` file.
///
/// Cheap to pass around: the text of the place is created only for an error.
struct StorekitFilePlace: CustomStringConvertible {
    private enum List {
        case products, nonRenewingSubscriptions
        case group(GroupList, Int)
    }

    /// A list of groups; the raw value is its key.
    enum GroupList: String {
        case subscriptions = "subscriptionGroups"
        case suites = "subscriptionSuiteGroups"
        case bundles = "subscriptionBundleGroups"
    }

    private let list: List
    private let index: Int
    private var offers: StaticString?
    private var offer: Int?

    private init(_ list: List, _ index: Int) {
        self.list = list
        self.index = index
    }

    static func product(_ index: Int) -> Self { Self(.products, index) }
    static func nonRenewing(_ index: Int) -> Self { Self(.nonRenewingSubscriptions, index) }
    static func subscription(_ index: Int, ofGroup group: Int, in list: GroupList = .subscriptions) -> Self {
        Self(.group(list, group), index)
    }

    /// Returns the place of an offer of this product: in a list, or without an index if the key has a single offer.
    func offer(_ offer: Int? = nil, in key: StaticString) -> Self {
        var place = self
        place.offers = key
        place.offer = offer
        return place
    }

    var description: String {
        let product =
            switch list {
            case .products: "products[\(index)]"
            case .nonRenewingSubscriptions: "nonRenewingSubscriptions[\(index)]"
            case .group(let list, let group): "\(list.rawValue)[\(group)].subscriptions[\(index)]"
            }
        guard let offers else { return product }
        return "\(product).\(offers)\(offer.map { "[\($0)]" } ?? "")"
    }

    /// Returns the path of a key at this place.
    func path(_ key: String) -> String { "\(self).\(key)" }
}

import Foundation
import StoreCore

extension Product {
    /// The product in the form of the App Store's catalog, in UTF-8; created when it is read.
    ///
    /// It contains the store's information under the keys of Xcode's test store, with prices as text.
    public var jsonRepresentation: Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Encoding cannot fail, since there are only texts and numbers.
        return (try? encoder.encode(Catalog(self))) ?? Data()
    }
}

/// The App Store's description of a product, by the names of its keys.
private struct Catalog: Encodable {
    let id: String
    let type = "in-apps"
    let href: String
    let attributes: Attributes

    struct Attributes: Encodable {
        let kind: String
        let name: String
        let description: [String: String]
        let offerName: String
        let icuLocale: String
        let isFamilyShareable: Int
        let offers: [Offer]
        let subscriptionFamilyId: String?
        let subscriptionFamilyName: String?
        let subscriptionFamilyRank: Int?
    }

    struct Offer: Encodable {
        let currencyCode: String
        let price: String
        let priceFormatted: String
        let recurringSubscriptionPeriod: String?
        let discounts: [Discount]?
    }

    struct Discount: Encodable {
        let type: String
        let offerId: String?
        let modeType: String
        let numOfPeriods: Int
        let price: String
        let priceFormatted: String
        let recurringSubscriptionPeriod: String
    }

    init(_ product: Product) {
        let described = product.product
        let subscription = product.subscription
        // If the store has no number for a product, its identifier is used instead.
        id = described.internalIdentifier ?? described.identifier
        href = "/v1/catalog/\((product.countryCode ?? "USA").lowercased())/in-apps/\(id)"
        attributes = Attributes(
            kind: product.type.rawValue,
            name: product.displayName,
            description: ["standard": product.description],
            offerName: product.id,
            icuLocale: described.priceLocaleIdentifier,
            isFamilyShareable: product.isFamilyShareable ? 1 : 0,
            offers: [
                Offer(
                    currencyCode: product.priceFormatStyle.currencyCode,
                    price: product.price.description,
                    priceFormatted: product.displayPrice,
                    recurringSubscriptionPeriod: subscription?.subscriptionPeriod.iso8601,
                    discounts: subscription?.offers(.upFront).map(Discount.init)
                )
            ],
            subscriptionFamilyId: subscription?.subscriptionGroupID,
            subscriptionFamilyName: subscription?.groupDisplayName,
            subscriptionFamilyRank: subscription?.groupLevel
        )
    }
}

extension Catalog.Discount {
    fileprivate init(_ offer: Product.SubscriptionOffer) {
        self.init(
            type: offer.type.catalogName,
            offerId: offer.id,
            modeType: offer.paymentMode.catalogName,
            numOfPeriods: offer.periodCount,
            price: offer.price.description,
            priceFormatted: offer.displayPrice,
            recurringSubscriptionPeriod: offer.period.iso8601
        )
    }
}

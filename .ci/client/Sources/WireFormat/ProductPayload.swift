import Foundation
import StoreKit

/// A product in a form that crosses the boundary to another language as JSON.
package struct ProductPayload: Codable, Equatable, Sendable {
    package let id: String
    package let type: Name
    package let displayName: String
    package let description: String
    package let price: String
    package let displayPrice: String
    package let formattedPrice: String
    package let isFamilyShareable: Bool
    package let json: String
    package let subscription: SubscriptionPayload?

    /// A raw value and what it is called in the user's language.
    package struct Name: Codable, Equatable, Sendable {
        package let raw: String
        package let localized: String

        package init(raw: String, localized: String) { (self.raw, self.localized) = (raw, localized) }
    }

    package init(_ product: Product) {
        id = product.id
        type = Name(raw: product.type.rawValue, localized: product.type.localizedDescription)
        displayName = product.displayName
        description = product.description
        price = NSDecimalNumber(decimal: product.price).stringValue
        displayPrice = product.displayPrice
        formattedPrice = product.price.formatted(product.priceFormatStyle)
        isFamilyShareable = product.isFamilyShareable
        json = product.jsonRepresentation.base64EncodedString()
        subscription = product.subscription.map { SubscriptionPayload($0, of: product) }
    }
}

package struct SubscriptionPayload: Codable, Equatable, Sendable {
    package let group: String
    package let groupName: String
    package let level: Int
    package let period: PeriodPayload
    package let unitName: String
    package let introductoryOffer: OfferPayload?
    package let promotionalOffers: [OfferPayload]
    package let winBackOffers: [OfferPayload]

    init(_ info: Product.SubscriptionInfo, of product: Product) {
        group = info.subscriptionGroupID
        groupName = info.groupDisplayName
        level = info.groupLevel
        period = PeriodPayload(info.subscriptionPeriod)
        unitName = info.subscriptionPeriod.unit.formatted(product.subscriptionPeriodUnitFormatStyle)
        introductoryOffer = info.introductoryOffer.map(OfferPayload.init)
        promotionalOffers = info.promotionalOffers.map(OfferPayload.init)
        winBackOffers = info.winBackOffers.map(OfferPayload.init)
    }
}

package struct PeriodPayload: Codable, Equatable, Sendable {
    package let unit: String
    package let unitText: String
    package let value: Int
    package let text: String
    package let days: Int

    init(_ period: Product.SubscriptionPeriod) {
        switch period.unit {
        case .day: unit = "day"
        case .week: unit = "week"
        case .month: unit = "month"
        case .year: unit = "year"
        @unknown default: unit = "unknown"
        }
        unitText = period.unit.localizedDescription
        value = period.value
        text = period.debugDescription
        let range: Range<Date> = period.dateRange(referenceDate: Date(timeIntervalSince1970: 0))
        days = Int(range.upperBound.timeIntervalSince(range.lowerBound) / 86_400)
    }
}

package struct OfferPayload: Codable, Equatable, Sendable {
    package let id: String?
    package let type: ProductPayload.Name
    package let mode: ProductPayload.Name
    package let price: String
    package let displayPrice: String
    package let period: PeriodPayload
    package let periodCount: Int

    init(_ offer: Product.SubscriptionOffer) {
        id = offer.id
        type = .init(raw: offer.type.rawValue, localized: offer.type.localizedDescription)
        mode = .init(raw: offer.paymentMode.rawValue, localized: offer.paymentMode.localizedDescription)
        price = offer.price.description
        displayPrice = offer.displayPrice
        period = PeriodPayload(offer.period)
        periodCount = offer.periodCount
    }
}

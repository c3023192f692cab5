import Foundation
import StoreKit

@available(iOS 15.0, macOS 14.0, tvOS 16.0, watchOS 8.0, *)
enum ProductConversion {
    static func product(from product: StoreKit.Product) -> Product {
        Product(
            id: product.id,
            title: product.displayName,
            text: product.description,
            kind: kind(of: product.type),
            price: NSDecimalNumber(decimal: product.price).doubleValue,
            displayPrice: product.displayPrice,
            currency: currency(of: product) ?? "",
            isFamilyShareable: product.isFamilyShareable,
            period: product.subscription.map { period(from: $0.subscriptionPeriod) },
            groupID: product.subscription?.subscriptionGroupID,
            offers: product.subscription.map(offers).flatMap { $0.isEmpty ? nil : $0 } ?? [],
            terms: terms(from: product.subscription) ?? [],
            members: members(of: product.subscription),
            json: String(data: product.jsonRepresentation, encoding: .utf8) ?? ""
        )
    }

    static func kind(of type: StoreKit.Product.ProductType) -> Product.Kind {
        if #available(iOS 27.0, macOS 27.0, tvOS 27.0, watchOS 27.0, visionOS 27.0, *) {
            if type == .subscriptionBundle { return .bundle }
            if type == .subscriptionSuite { return .suite }
        }
        switch type {
        case .autoRenewable, .nonRenewable: return .subscription
        case .consumable, .nonConsumable: return .inApp
        default: return .inApp
        }
    }

    static func currency(of product: StoreKit.Product) -> String? {
        if #available(iOS 16.0, tvOS 16.0, watchOS 9.0, *) {
            return product.priceFormatStyle.currencyCode
        } else {
            return product.priceFormatStyle.locale.currency?.identifier
        }
    }

    static func period(from period: StoreKit.Product.SubscriptionPeriod) -> SubscriptionPeriod {
        SubscriptionPeriod(unit: period.unit.unit, value: period.value)
    }

    /// Returns the length of an offer in the largest unit that it is whole in.
    static func normalized(
        _ period: StoreKit.Product.SubscriptionPeriod
    ) -> (value: Int, unit: StoreKit.Product.SubscriptionPeriod.Unit) {
        let (value, unit) = (period.value, period.unit)
        switch unit {
        case .day:
            if value % 365 == 0 { return (value / 365, .year) }
            return value % 7 == 0 ? (value / 7, .week) : (value, .day)
        case .week: return value % 52 == 0 ? (value / 52, .year) : (value, .week)
        case .month: return value % 12 == 0 ? (value / 12, .year) : (value, .month)
        default: return (value, unit)
        }
    }

    static func offers(of subscription: StoreKit.Product.SubscriptionInfo) -> [SubscriptionOffer] {
        var offers: [SubscriptionOffer] = []
        if let introductory = subscription.introductoryOffer { offers.append(offer(from: introductory)) }
        offers.append(contentsOf: subscription.promotionalOffers.map { offer(from: $0) })
        if #available(iOS 18.0, macOS 15.0, tvOS 18.0, watchOS 11.0, visionOS 2.0, *) {
            offers.append(contentsOf: subscription.winBackOffers.map(offer(from:)))
        }
        return offers
    }

    static func offer(from offer: StoreKit.Product.SubscriptionOffer) -> SubscriptionOffer {
        SubscriptionOffer(
            id: offer.id ?? "",
            type: name(of: offer.type),
            mode: offer.paymentMode.mode,
            price: NSDecimalNumber(decimal: offer.price).doubleValue,
            displayPrice: offer.displayPrice,
            period: period(from: offer.period),
            periodCount: normalized(offer.period).value * offer.periodCount
        )
    }

    static func name(of type: StoreKit.Product.SubscriptionOffer.OfferType) -> String {
        if #available(iOS 18.0, macOS 15.0, *), type == .winBack { return "winBack" }
        if type == .introductory { return "introductory" }
        return type == .promotional ? "promotional" : String(describing: type)
    }

    // MARK: Commitments, suites and bundles

    static func terms(from info: StoreKit.Product.SubscriptionInfo?) -> [PricingTerms]? {
        guard let info else { return nil }
        if #available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *) {
            let terms = info.pricingTerms.map { pricingTerms(from: $0) }
            return terms.isEmpty ? nil : terms
        }
        return nil
    }

    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    static func pricingTerms(from terms: StoreKit.Product.SubscriptionInfo.PricingTerms) -> PricingTerms {
        PricingTerms(
            plan: plan(from: terms.billingPlanType),
            price: NSDecimalNumber(decimal: terms.billingPrice).doubleValue,
            displayPrice: terms.billingDisplayPrice,
            period: period(from: terms.billingPeriod),
            total: NSDecimalNumber(decimal: terms.commitmentInfo.price).doubleValue,
            commitment: period(from: terms.commitmentInfo.period),
            offers: terms.subscriptionOffers.compactMap { $0.id }
        )
    }

    @available(iOS 26.4, macOS 26.4, tvOS 26.4, watchOS 26.4, visionOS 26.4, *)
    static func plan(from type: StoreKit.Product.SubscriptionInfo.BillingPlanType) -> String {
        if type == .monthly { return "monthly" }
        if type == .upFront { return "up-front" }
        return type.rawValue
    }

    static func members(of info: StoreKit.Product.SubscriptionInfo?) -> [String] {
        guard let info, #available(iOS 27.0, macOS 27.0, *) else { return [] }
        return info.bundledSubscriptions.map { member in
            [
                member.id, member.displayName, member.description, member.displayPrice,
                String(NSDecimalNumber(decimal: member.price).doubleValue), String(member.isFamilyShareable),
                member.subscriptionGroupID, member.subscriptionGroupDisplayName, String(member.subscriptionGroupLevel),
            ].joined(separator: " ")
        }
    }
}

@available(iOS 15.0, macOS 14.0, *)
extension StoreKit.Product.SubscriptionPeriod.Unit {
    fileprivate var unit: SubscriptionPeriod.Unit {
        switch self {
        case .day: return .day
        case .week: return .week
        case .month: return .month
        case .year: return .year
        @unknown default: return .unknown
        }
    }
}

@available(iOS 15.0, macOS 14.0, *)
extension StoreKit.Product.SubscriptionOffer.PaymentMode {
    fileprivate var mode: String {
        switch self {
        case .freeTrial: return "free-trial"
        case .payAsYouGo: return "pay-as-you-go"
        case .payUpFront: return "pay-up-front"
        default: return "unknown"
        }
    }
}

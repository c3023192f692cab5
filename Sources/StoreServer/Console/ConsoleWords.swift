import Foundation
import StoreCore

/// Words, dates and amounts as a page shows them to people.
enum ConsoleWords {
    /// Returns a day in UTC, as in `18 Jun`, with the year unless it is that of another date.
    static func day(_ date: Date, _ other: Date) -> String {
        let parts = date.formatted(.iso8601).prefix(10).split(separator: "-")
        guard parts.count == 3, let month = Int(parts[1]), let day = Int(parts[2]), months.indices.contains(month - 1)
        else { return date.formatted(.iso8601) }
        let isSameYear = other.formatted(.iso8601).hasPrefix(parts[0])
        return "\(day) \(months[month - 1])\(isSameYear ? "" : " \(parts[0])")"
    }

    /// Returns a date in UTC to the minute, as in `2026-06-18 09:41 UTC`.
    static func moment(_ date: Date) -> String {
        date.formatted(.iso8601).prefix(16).replacing("T", with: " ") + " UTC"
    }

    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    /// Returns an amount with its currency, as in `$4.99`.
    static func price(_ amount: Decimal, _ currency: String?) -> String {
        guard let currency else { return "\(amount)" }
        return amount.formatted(.currency(code: currency).locale(Locale(identifier: "en_US")))
    }

    /// Returns a number with a noun, as in `3 renewals`.
    static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// Returns a length of time, as in `3 months`.
    static func period(_ period: StoreProduct.Period, times: Int = 1) -> String {
        count(period.count * times, "\(period.unit)")
    }

    static func kind(_ kind: StoreProduct.Kind) -> String {
        switch kind {
        case .consumable: "Consumable"
        case .nonConsumable: "Non-consumable"
        case .autoRenewable: "Subscription"
        case .nonRenewing: "Non-renewing subscription"
        case .freeSubscription: "Free subscription"
        case .subscriptionSuite: "Suite"
        case .subscriptionBundle: "Bundle"
        }
    }

    /// Returns what a product is, as in `Subscription, 1 year`, with the products that a suite or a bundle includes.
    static func terms(_ product: SandboxProduct, _ title: (String) -> String) -> String {
        let kind = kind(product.kind)
        let length = product.subscription.map { ", \(period($0.period))" } ?? ""
        let members = product.subscription?.members.map(title) ?? []
        return (product.isAdvancedCommerce ? "Generic \(kind.lowercased())" : kind) + length
            + (members.isEmpty ? "" : ": \(members.joined(separator: ", "))")
    }

    /// Returns how far a commitment is, as in `payment 3 of 12, committed until 18 Jun`.
    static func commitment(_ commitment: SandboxSubscription.Commitment, _ now: Date) -> String {
        "payment \(commitment.billingPeriodNumber) of \(commitment.totalBillingPeriods), committed until "
            + day(commitment.expirationDate, now) + (commitment.willRenew ? "" : " and not renewed then")
    }

    /// Returns the terms of an offer, as in `$0.99 per month for 3 months`.
    static func offer(_ terms: StoreProduct.Offer, _ currency: String?) -> String {
        let length = period(terms.period, times: terms.periodCount)
        let price = price(terms.price, currency)
        switch terms.paymentMode {
        case .freeTrial: return "free for \(length)"
        case .payUpFront: return "\(price) for \(length)"
        case .payAsYouGo:
            let each = terms.period.count == 1 ? "\(terms.period.unit)" : period(terms.period)
            return "\(price) per \(each) for \(length)"
        }
    }

    static func reason(_ end: SubscriptionEndReason?) -> String {
        switch end {
        case .autoRenewDisabled: "renewal is off"
        case .productUnavailable: "the product is off sale"
        case .billingError: "the payment failed"
        case .didNotConsentToPriceIncrease: "no consent to the higher price"
        case .renewalLimitReached: "the limit of renewals is reached"
        case .revoked: "refunded"
        case .unbundled: "the bundle was left"
        case nil: "ended"
        }
    }
}

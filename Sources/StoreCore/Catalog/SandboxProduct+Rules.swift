import Foundation

extension SandboxProduct {
    /// The fault that keeps the product from being sold, as the rest of a sentence that begins with its name; nil for a
    /// valid one.
    var fault: String? {
        if identifier.isEmpty { return "has no identifier" }
        if let rule = Self.rule(brokenBy: price) { return "costs \(price): \(rule)" }
        if kind == .freeSubscription, price != 0 { return "is a free subscription and costs \(price)" }
        if let fault = hostedContent?.fault(for: identifier) { return fault }
        if let storefrontFault { return storefrontFault }
        guard let subscription else {
            return kind == .autoRenewable ? "renews by itself but has no subscription period" : nil
        }
        guard kind == .autoRenewable else { return "has a subscription period but does not renew by itself" }
        return subscription.fault
    }

    /// Reports the product's fault as the programmer's mistake.
    func reportFault() {
        if let fault { ProductMistake.report("the product \"\(identifier)\" \(fault)", in: identifier) }
    }

    /// Returns the rule that a price breaks, nil if it is valid.
    static func rule(brokenBy price: Decimal) -> String? {
        guard price.isFinite, price >= 0 else { return "a price is at least 0" }
        // Signed payloads have it as a whole number of thousandths, in 64 bits. A product of greater numbers may be none.
        guard price <= Decimal(Int64.max) / 1000 else { return "a price is below 2^63 / 1000" }
        var (thousandths, whole) = (price * 1000, Decimal())
        NSDecimalRound(&whole, &thousandths, 0, .plain)
        return whole == thousandths ? nil : "a price has at most three digits behind the point"
    }
}

extension SandboxProduct.Subscription {
    fileprivate var fault: String? {
        if groupIdentifier.isEmpty { return "belongs to a subscription group without a name" }
        if level < 1 { return "has level \(level) in its subscription group: 1 is the highest" }
        if period.count < 1 { return "has a subscription period of \(period.count) units" }
        if period.isTooLong() { return "has a subscription period of more than 100 years" }
        let named = promotionalOffers + codeOffers.map(\.offer) + winBackOffers.map(\.offer)
        if named.contains(where: { ($0.terms.identifier ?? "").isEmpty }) {
            return "has an offer without an identifier that is not introductory"
        }
        if let terms = billingPlans.first(where: { $0.hasFault }) {
            return "has a billing plan that costs \(terms.price), \(terms.commitmentPrice) in all"
        }
        return (introductoryOffers + named).lazy.compactMap(\.fault).first
    }
}

extension SandboxProduct.Offer {
    fileprivate var fault: String? {
        let name = Self.name(terms.identifier)
        if SandboxProduct.rule(brokenBy: terms.price) != nil { return "has \(name) that costs \(terms.price)" }
        if terms.paymentMode == .freeTrial, terms.price != 0 { return "has \(name), a free trial that costs something" }
        if terms.period.count < 1 || terms.periodCount < 1 { return "has \(name) that lasts no time" }
        if terms.period.isTooLong(times: terms.periodCount) { return "has \(name) that lasts more than 100 years" }
        return nil
    }
}

extension StoreProduct.BillingTerms {
    fileprivate var hasFault: Bool { [price, commitmentPrice].contains { SandboxProduct.rule(brokenBy: $0) != nil } }
}

extension StoreProduct.Period {
    /// Whether a number of such periods, at least one, lasts more than 100 years.
    ///
    /// Dates have an upper bound; and a period that never ended would be renewed forever.
    fileprivate func isTooLong(times: Int = 1) -> Bool {
        let most =
            switch unit {
            case .day: 36_525
            case .week: 5218
            case .month: 1200
            case .year: 100
            }
        return count > most / times
    }
}

import StoreCore

/// The offers of a subscription, a line each.
struct OfferReport {
    private(set) var lines: [String] = []

    /// Creates the report on the offers of a product, of which most have none.
    init(_ product: SandboxProduct) {
        guard let subscription = product.subscription else { return }
        lines += subscription.introductoryOffers.map { "introductory offer: \(Self.describe($0))" }
        lines += subscription.promotionalOffers.map { "promotional offer \(Self.name($0)): \(Self.describe($0))" }
        lines += subscription.codeOffers.map { code in
            let rest = code.isStackable ? ", may follow an introductory offer" : ""
            return
                "code offer \(Self.name(code.offer)): \(Self.describe(code.offer)), \(Self.name(code.eligibility))\(rest)"
        }
        lines += subscription.winBackOffers.map { winBack in
            let rest = winBack.isEligible ? "" : ", nobody is eligible"
            return "win-back offer \(Self.name(winBack.offer)): \(Self.describe(winBack.offer))\(rest)"
        }
    }

    private static func name(_ offer: SandboxProduct.Offer) -> String {
        let identifier = offer.terms.identifier ?? ""
        return offer.referenceName == identifier ? identifier : "\(identifier) \"\(offer.referenceName)\""
    }

    private static func describe(_ offer: SandboxProduct.Offer) -> String {
        let terms = offer.terms
        let whole = Wording.time(terms.period.count * terms.periodCount, terms.period.unit)
        let text =
            switch terms.paymentMode {
            case .freeTrial: "free for \(whole)"
            case .payUpFront: "\(terms.price) for \(whole)"
            case .payAsYouGo: "\(terms.price) \(Wording.every(terms.period.count, terms.period.unit)) for \(whole)"
            }
        return offer.billingPlan == .upFront ? text : "\(text), with monthly billing"
    }

    private static func name(_ customers: SandboxProduct.Customers) -> String {
        let names: [(SandboxProduct.Customers, String)] = [
            (.new, "new"), (.existing, "existing"), (.expired, "expired"),
        ]
        let chosen = names.filter { customers.contains($0.0) }.map(\.1)
        if chosen.count == names.count { return "for everybody" }
        return "for \(chosen.isEmpty ? "no" : chosen.joined(separator: " and ")) subscribers"
    }
}

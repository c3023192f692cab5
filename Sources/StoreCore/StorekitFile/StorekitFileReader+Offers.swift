import Foundation

extension StorekitFileReader {
    func introductoryOffers(
        of product: StorekitFile.Subscription,
        at place: Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.Offer] {
        // Format 5.0 has a list, one offer for each billing plan, and perhaps the single offer of older formats.
        if let list = product.introductoryOffers, !list.isEmpty {
            var offers: [SandboxProduct.Offer] = []
            for (index, item) in list.enumerated() {
                offers.append(try offer(item, named: nil, at: place.offer(index, in: "introductoryOffers")))
            }
            return offers
        }
        guard let single = product.introductoryOffer else { return [] }
        return [try offer(single, named: nil, at: place.offer(in: "introductoryOffer"))]
    }

    func promotionalOffers(
        _ list: [StorekitFile.Offer]?,
        at place: Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.Offer] {
        var offers: [SandboxProduct.Offer] = []
        for (index, item) in (list ?? []).enumerated() {
            let place = place.offer(index, in: "adHocOffers")
            offers.append(try offer(item, named: try name(item.offerID, key: "offerID", at: place), at: place))
        }
        return offers
    }

    func codeOffers(
        _ list: [StorekitFile.Offer]?,
        at place: Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.CodeOffer] {
        var offers: [SandboxProduct.CodeOffer] = []
        for (index, item) in (list ?? []).enumerated() {
            let place = place.offer(index, in: "codeOffers")
            let name = try name(item.referenceName, key: "referenceName", at: place)
            let codeOffer = SandboxProduct.CodeOffer(
                try offer(item, named: name, at: place),
                eligibility: try customers(item.eligibility, at: place),
                isStackable: item.isStackable ?? false
            )
            offers.append(codeOffer)
        }
        return offers
    }

    func oneTimeOffers(
        _ list: [StorekitFile.OneTimeOffer],
        at place: Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.OneTimeCodeOffer] {
        var offers: [SandboxProduct.OneTimeCodeOffer] = []
        for (index, item) in list.enumerated() {
            let place = place.offer(index, in: "codeOffers")
            let name = try name(item.referenceName, key: "referenceName", at: place)
            var price: Decimal = 0
            switch item.paymentMode {
            case "free": break
            case nil, "oneTime", "payUpFront":
                guard let text = item.displayPrice else {
                    throw problem(place.path("displayPrice"), Expectation.price, "nothing")
                }
                price = try self.price(text, at: place)
            case .some(let other):
                let expected = "\"free\", \"oneTime\" or \"payUpFront\""
                throw problem(place.path("paymentMode"), expected, Expectation.quoted(other))
            }
            let eligibility = try customers(item.eligibility, at: place)
            offers.append(.init(identifier: name, price: price, eligibility: eligibility))
        }
        return offers
    }

    func winBackOffers(
        _ list: [StorekitFile.Offer]?,
        at place: Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.WinBackOffer] {
        var offers: [SandboxProduct.WinBackOffer] = []
        for (index, item) in (list ?? []).enumerated() {
            let place = place.offer(index, in: "winbackOffers")
            let name = try name(item.offerID, key: "offerID", at: place)
            let offer = try offer(item, named: name, at: place)
            offers.append(SandboxProduct.WinBackOffer(offer, isEligible: item.isEligible ?? true))
        }
        return offers
    }

    private func offer(
        _ offer: StorekitFile.Offer,
        named identifier: String?,
        at place: Place
    ) throws(StoreConfigurationError) -> SandboxProduct.Offer {
        let mode: StoreProduct.Offer.PaymentMode
        switch offer.paymentMode {
        case "free": mode = .freeTrial
        case "payAsYouGo": mode = .payAsYouGo
        case "payUpFront": mode = .payUpFront
        case let other: throw problem(place.path("paymentMode"), Expectation.paymentMode, Expectation.quoted(other))
        }
        let plan = try billingPlan(offer.billingPlanType, at: place)
        var price: Decimal = 0
        // A free trial may have the price of an earlier payment mode, which has no meaning.
        if mode != .freeTrial {
            guard let text = offer.displayPrice else {
                throw problem(place.path("displayPrice"), Expectation.price, "nothing")
            }
            price = try self.price(text, at: place)
        }
        let terms = StoreProduct.Offer(
            identifier: identifier,
            price: price,
            paymentMode: mode,
            period: try period(offer.subscriptionPeriod, at: place, "subscriptionPeriod"),
            periodCount: try whole(offer.numberOfPeriods, or: 1, from: 1, at: place.path("numberOfPeriods"))
        )
        return SandboxProduct.Offer(terms: terms, referenceName: offer.referenceName, billingPlan: plan)
    }

    /// Returns the enabled billing plans of a product.
    func billingPlans(
        _ list: [StorekitFile.BillingPlan]?,
        at place: Place
    ) throws(StoreConfigurationError) -> [StoreProduct.BillingTerms] {
        var plans: [StoreProduct.BillingTerms] = []
        for (index, item) in (list ?? []).enumerated() where item.isEnabled ?? true {
            let place = place.offer(index, in: "billingPlans")
            let plan = try billingPlan(item.billingPlanType, at: place)
            guard let text = item.displayPrice else {
                throw problem(place.path("displayPrice"), Expectation.price, "nothing")
            }
            let price = try price(text, at: place)
            // A monthly plan's price covers one month, and only yearly subscriptions are paid monthly.
            var commitmentPrice = plan == .monthly ? price * 12 : price
            if let text = item.commitmentDisplayPrice {
                commitmentPrice = try self.price(text, at: place, "commitmentDisplayPrice")
            }
            plans.append(.init(plan: plan, price: price, commitmentPrice: commitmentPrice))
        }
        return plans
    }

    private func billingPlan(
        _ type: String?,
        at place: Place
    ) throws(StoreConfigurationError) -> StoreProduct.BillingPlan {
        switch type {
        case nil, "BILLED_UPFRONT": return .upFront
        case "MONTHLY": return .monthly
        case .some(let other):
            throw problem(place.path("billingPlanType"), "\"BILLED_UPFRONT\" or \"MONTHLY\"", Expectation.quoted(other))
        }
    }

    private func name(_ text: String?, key: String, at place: Place) throws(StoreConfigurationError) -> String {
        if let text, !text.isEmpty { return text }
        throw problem(place.path(key), Expectation.offerIdentifier, text == nil ? "nothing" : "\"\"")
    }

    private func customers(
        _ list: [String]?,
        at place: Place
    ) throws(StoreConfigurationError) -> SandboxProduct.Customers {
        guard let list else { return .all }
        var customers: SandboxProduct.Customers = []
        for (index, name) in list.enumerated() {
            switch name {
            case "new": customers.insert(.new)
            case "existing": customers.insert(.existing)
            case "expired": customers.insert(.expired)
            default:
                throw problem(
                    place.path("eligibility[\(index)]"),
                    "\"new\", \"existing\" or \"expired\"",
                    Expectation.quoted(name)
                )
            }
        }
        return customers
    }
}

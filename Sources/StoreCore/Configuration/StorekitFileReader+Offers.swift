import Foundation

extension StorekitFileReader {
    func introductoryOffers(
        of product: StorekitFile.Subscription,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.Offer] {
        // Format 5.0 has a list, one offer a billing plan, and at times the single offer of older formats beside it.
        if let list = product.introductoryOffers, !list.isEmpty {
            return try offers(list, at: "\(place()).introductoryOffers") {
                (offer, place) throws(StoreConfigurationError) in
                try self.offer(offer, named: nil, at: place())
            }
        }
        guard let single = product.introductoryOffer else { return [] }
        return [try offer(single, named: nil, at: "\(place()).introductoryOffer")]
    }

    func promotionalOffers(
        _ list: [StorekitFile.Offer]?,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.Offer] {
        try offers(list, at: place()) { (offer, place) throws(StoreConfigurationError) in
            let name = try self.name(offer.offerID, key: "offerID", at: place())
            return try self.offer(offer, named: name, at: place())
        }
    }

    func codeOffers(
        _ list: [StorekitFile.Offer]?,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.CodeOffer] {
        try offers(list, at: place()) { (offer, place) throws(StoreConfigurationError) in
            let name = try self.name(offer.referenceName, key: "referenceName", at: place())
            return SandboxProduct.CodeOffer(
                try self.offer(offer, named: name, at: place()),
                eligibility: try self.customers(offer.eligibility, at: place()),
                isStackable: offer.isStackable ?? false
            )
        }
    }

    func winBackOffers(
        _ list: [StorekitFile.Offer]?,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> [SandboxProduct.WinBackOffer] {
        try offers(list, at: place()) { (offer, place) throws(StoreConfigurationError) in
            let name = try self.name(offer.offerID, key: "offerID", at: place())
            return SandboxProduct.WinBackOffer(
                try self.offer(offer, named: name, at: place()),
                isEligible: offer.isEligible ?? true
            )
        }
    }

    /// Most products have no offers: nothing is made for those.
    private func offers<Offer>(
        _ list: [StorekitFile.Offer]?,
        at place: @autoclosure Place,
        _ make: (StorekitFile.Offer, Place) throws(StoreConfigurationError) -> Offer
    ) throws(StoreConfigurationError) -> [Offer] {
        guard let list, !list.isEmpty else { return [] }
        let place = place()
        var offers: [Offer] = []
        offers.reserveCapacity(list.count)
        for (index, offer) in list.enumerated() { offers.append(try make(offer, { "\(place)[\(index)]" })) }
        return offers
    }

    private func offer(
        _ offer: StorekitFile.Offer,
        named identifier: String?,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> SandboxProduct.Offer {
        let mode: StoreProduct.Offer.PaymentMode
        switch offer.paymentMode {
        case "free": mode = .freeTrial
        case "payAsYouGo": mode = .payAsYouGo
        case "payUpFront": mode = .payUpFront
        case let other:
            throw problem("\(place()).paymentMode", Expectation.paymentMode, Expectation.quoted(other))
        }
        let plan: SandboxProduct.BillingPlan
        switch offer.billingPlanType {
        case nil, "BILLED_UPFRONT": plan = .upFront
        case "MONTHLY": plan = .monthly
        case .some(let other):
            throw problem(
                "\(place()).billingPlanType",
                "\"BILLED_UPFRONT\" or \"MONTHLY\"",
                Expectation.quoted(other)
            )
        }
        var price: Decimal = 0
        // A free trial keeps the price of what it was before somebody made it free: it means nothing.
        if mode != .freeTrial {
            guard let text = offer.displayPrice else {
                throw problem("\(place()).displayPrice", Expectation.price, "nothing")
            }
            price = try self.price(text, at: "\(place()).displayPrice")
        }
        let terms = StoreProduct.Offer(
            identifier: identifier,
            price: price,
            paymentMode: mode,
            period: try period(offer.subscriptionPeriod, at: "\(place()).subscriptionPeriod"),
            periodCount: try whole(offer.numberOfPeriods, or: 1, from: 1, at: "\(place()).numberOfPeriods")
        )
        return SandboxProduct.Offer(terms: terms, referenceName: offer.referenceName, billingPlan: plan)
    }

    private func name(
        _ text: String?,
        key: String,
        at place: @autoclosure Place
    ) throws(StoreConfigurationError) -> String {
        if let text, !text.isEmpty { return text }
        throw problem("\(place()).\(key)", Expectation.offerIdentifier, text == nil ? "nothing" : "\"\"")
    }

    private func customers(
        _ list: [String]?,
        at place: @autoclosure Place
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
                    "\(place()).eligibility[\(index)]",
                    "\"new\", \"existing\" or \"expired\"",
                    Expectation.quoted(name)
                )
            }
        }
        return customers
    }
}

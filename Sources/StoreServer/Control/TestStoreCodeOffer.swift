import StoreCore

/// An offer of a product in a request, which customers redeem with a code.
///
/// A product that does not renew has one price for the code. A subscription has the terms of an offer beside it, which
/// is a free trial unless it has a price.
struct TestStoreCodeOffer: Decodable {
    private let code: String
    private let price: String?
    private let mode: Mode?
    private let period: StoreProduct.Period?
    private let periods: Int?
    private let plan: StoreProduct.BillingPlan?
    private let eligibility: SandboxProduct.Customers

    enum CodingKeys: String, CodingKey, CaseIterable {
        case code, price, mode, period, periods, billingPlan, eligibility
    }

    /// The way in which an offer is paid.
    enum Mode: String, CaseIterable { case freeTrial, payAsYouGo, payUpFront }

    /// The groups of customers, by their names.
    static let customers: [(name: String, group: SandboxProduct.Customers)] = [
        ("new", .new), ("existing", .existing), ("expired", .expired),
    ]

    /// The billing plans, by their names.
    static let plans: [StoreProduct.BillingPlan] = [.upFront, .monthly]

    init(from decoder: any Decoder) throws {
        let container = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        func choice(_ key: CodingKeys, among words: [String]) throws -> String? {
            let word = try container.decodeIfPresent(String.self, forKey: key)
            if let word, !words.contains(word) {
                throw ControlFailure(.invalid, word, "is no \(key.stringValue)", among: words)
            }
            return word
        }
        code = try container.decode(String.self, forKey: .code)
        price = try container.price(forKey: .price)
        mode = try choice(.mode, among: Mode.allCases.map(\.rawValue)).flatMap(Mode.init)
        period = try container.period(forKey: .period)
        periods = try container.decodeIfPresent(Int.self, forKey: .periods)
        plan = try choice(.billingPlan, among: Self.plans.map(\.rawValue)).flatMap(StoreProduct.BillingPlan.init)
        guard let names = try container.decodeIfPresent([String].self, forKey: .eligibility) else {
            eligibility = .all
            return
        }
        eligibility = try names.reduce(into: []) { all, name in
            guard let found = Self.customers.first(where: { $0.name == name }) else {
                throw ControlFailure(.invalid, name, "is no customer", among: Self.customers.map(\.name))
            }
            all.insert(found.group)
        }
    }

    /// Returns a product with the offer.
    ///
    /// - Throws: ``ControlFailure`` for terms that the product cannot have; `CatalogError` for a malformed price.
    func added(to product: SandboxProduct) throws -> SandboxProduct {
        func failure(_ reason: String) -> ControlFailure {
            ControlFailure(.invalid, "the code \"\(code)\" of \"\(product.identifier)\" \(reason)")
        }
        guard let subscription = product.subscription else {
            guard mode == nil, period == nil, periods == nil, plan == nil else {
                throw failure("has a price only, since the product does not renew")
            }
            return try .makeThrowing {
                product.redeemable(with: code, price: price ?? "0", eligibility: eligibility)
            }
        }
        let isMonthly = plan == .monthly
        guard !isMonthly || subscription.billingPlans.contains(where: { $0.plan == .monthly }) else {
            throw failure("is for monthly payments, and the product has no monthlyPrice")
        }
        let isFree = price.map { $0.wholeMatch(of: #/0+(\.0+)?/#) != nil } ?? true
        let mode = mode ?? (isFree ? .freeTrial : .payAsYouGo)
        guard (mode == .freeTrial) == isFree else {
            throw failure(mode == .freeTrial ? "is a freeTrial, and has a price" : "is no freeTrial, and has no price")
        }
        guard mode == .payAsYouGo || periods == nil else { throw failure("has periods, and is not payAsYouGo") }
        let cost = price ?? "0"
        let length = period ?? (isMonthly ? StoreProduct.Period(1, .month) : subscription.period)
        let offer: SandboxProduct.Offer = try SandboxProduct.makeThrowing {
            switch mode {
            case .freeTrial: .freeTrial(length, identifier: code)
            case .payAsYouGo: .payAsYouGo(price: cost, every: length, times: periods ?? 1, identifier: code)
            case .payUpFront: .payUpFront(price: cost, for: length, identifier: code)
            }
        }
        var product = product
        product.subscription?.offerCodes.append(
            SandboxProduct.CodeOffer(isMonthly ? offer.billedMonthly() : offer, eligibility: eligibility)
        )
        return product
    }
}

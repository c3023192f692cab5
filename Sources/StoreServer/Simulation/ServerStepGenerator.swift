import Foundation
import StoreCore
import StoreScenario

/// A generator of the steps of a life from its seed.
struct ServerStepGenerator {
    private let setup: ServerSetup
    private var random: SplitMix64
    /// The customers: the first two are a family.
    let customers: [SimulatedCustomer]
    private let products: [SandboxProduct]
    /// The last purchase of a subscription, whose customer may change the plan.
    private var lastPlan: (customer: SimulatedCustomer, product: SandboxProduct)?

    init(_ setup: ServerSetup, seed: UInt64) {
        self.setup = setup
        random = SplitMix64(seed: seed, stream: 1)
        var names = SplitMix64(seed: seed, stream: 2)
        customers = ["A", "B", "C"].map {
            SimulatedCustomer(name: $0, identifier: names.uuid().uuidString.lowercased())
        }
        let claimed = Set(setup.allows.map(\.product) + setup.holds.map(\.product))
        products = setup.products.filter { claimed.contains($0.identifier) }
    }

    /// The commands that create the customers.
    var preparation: [String] {
        customers.flatMap { ["add-account \($0.name)", "add-device \($0.name)-phone --account \($0.name)"] }
            + (hasFamily ? ["add-family home --account A", "join-family home --account B"] : [])
    }

    /// Whether the server can learn of purchases without the customer's token, which only an upload tells it.
    private var hasUploads: Bool { setup.server.upload != nil }
    private var hasFamily: Bool { hasUploads && products.contains(where: \.isFamilyShareable) }
    private var sellsSubscriptions: Bool { products.contains { $0.kind.renews } }

    /// Draws the steps of a life.
    mutating func steps(_ count: Int) -> [ServerStep] {
        (0..<count).map { _ in
            while true {
                let step = self.step()
                if !step.kills || setup.server.command != nil { return step }
            }
        }
    }

    private mutating func step() -> ServerStep {
        switch below(100) {
        case 0..<30: buy()
        case 30..<48: time()
        case 48..<60: sellsSubscriptions ? subscription() : buy()
        case 60..<70: refund()
        case 70..<75: people()
        case 75..<78: .store(consent())
        case 78..<93: wire()
        default: server()
        }
    }

    private mutating func buy() -> ServerStep {
        var (product, customer) = (pick(products), pick(customers))
        if let (buyer, plan) = lastPlan, below(3) == 0 {
            let others = products.filter {
                $0.identifier != plan.identifier
                    && $0.subscription?.groupIdentifier == plan.subscription?.groupIdentifier
            }
            if !others.isEmpty { (product, customer) = (pick(others), buyer) }
        }
        if product.isAdvancedCommerce { return .store(request(for: product, by: customer)) }
        if product.subscription != nil { lastPlan = (customer, product) }
        var line = "buy \(word(product.identifier)) --user \(customer.identifier) --account \(customer.name)"
        if product.kind == .consumable, below(4) == 0 { line += " --quantity \(2 + below(3))" }
        let isMonthly = product.subscription?.billingPlans.contains { $0.plan == .monthly } == true && below(2) == 0
        if isMonthly { line += " --billing-plan monthly" }
        let plan = isMonthly ? SandboxProduct.BillingPlan.monthly : .upFront
        let planned = product.subscription?.promotionalOffers.filter { $0.billingPlan == plan } ?? []
        let offers = planned.compactMap(\.terms.identifier)
        if !offers.isEmpty, below(4) == 0 { line += " --offer \(word(pick(offers)))" }
        let codes = product.subscription?.offerCodes.map(\.offer.referenceName) ?? product.offerCodes.map(\.identifier)
        if hasUploads, !codes.isEmpty, below(6) == 0 {
            line = "redeem \(word(pick(codes))) --product \(word(product.identifier)) --account \(customer.name)"
        }
        return .store(line)
    }

    /// Draws the purchase of a generic product by a request, for one of two items.
    private mutating func request(for product: SandboxProduct, by customer: SimulatedCustomer) -> String {
        let country = setup.configuration?.settings.storefront
        let request = product.sampleRequest(
            random.uuid(),
            sku: pick(["first", "second"]),
            currency: country.flatMap(Storefronts.storefront)?.currency ?? "USD",
            user: customer.identifier
        )
        return "buy \(word(product.identifier)) --user \(customer.identifier) --account \(customer.name) --request "
            + word(String(decoding: request ?? Data(), as: UTF8.self))
    }

    private mutating func time() -> ServerStep {
        if sellsSubscriptions, below(2) == 0 { return .advanceToEnd(customer: pick(customers).name) }
        return .advance(hours: pick([1, 5, 24, 72, 240, 800]))
    }

    private mutating func subscription() -> ServerStep {
        if setup.server.retention != nil, below(3) == 0 {
            return below(3) == 0
                ? .question(pick(RetentionFault.allCases))
                : .viewCancellation(customer: pick(customers).name, cancels: below(2) == 0)
        }
        let account = "--account \(pick(customers).name)"
        return switch below(8) {
        case 0, 1: .store("auto-renew off \(account)")
        case 2: .store("auto-renew on \(account)")
        case 3, 4: .store("billing-fails on \(account)")
        case 5: .store(below(2) == 0 ? "billing-fails off \(account)" : "resolve-billing \(account)")
        case 6: .store(below(3) == 0 ? "grace-period off" : "grace-period on")
        default: .extend(below(4), days: 1 + below(30))
        }
    }

    /// Returns a refund; one of eight is of a part of the price.
    private static func refund(_ index: Int) -> String {
        "refund any-\(index)\(index == 7 ? " --percentage 50" : "")"
    }

    private mutating func refund() -> ServerStep {
        below(4) == 0 ? .store("reverse-refund any-\(below(6))") : .store(Self.refund(below(8)))
    }

    private mutating func people() -> ServerStep {
        let customer = pick(customers).name
        switch below(hasFamily ? 6 : 3) {
        case 0: return .store("ask-to-buy \(below(2) == 0 ? "on" : "off") --account \(customer)")
        case 1: return .store(below(3) == 0 ? "decline any-\(below(3))" : "approve any-\(below(3))")
        case 2: return .store("sign-in \(customer) --device \(pick(customers).name)-phone")
        case 3: return .store("leave-family --account B")
        case 4: return .store("join-family home --account B")
        default: return .store("shares-purchases \(below(2) == 0 ? "on" : "off") --account A")
        }
    }

    private mutating func consent() -> String {
        let account = "--account \(pick(customers).name)"
        return switch below(4) {
        case 0: sellsSubscriptions ? "request-consent \(account)" : "rescind-consent \(account)"
        case 1: "answer-consent agree \(account)"
        case 2: "answer-consent decline \(account)"
        default: "rescind-consent \(account)"
        }
    }

    private mutating func wire() -> ServerStep {
        switch below(hasUploads ? 17 : 12) {
        case 0, 1: .notification(.twice)
        case 2, 3: .notification(.reordered)
        case 4: .notification(.late(seconds: Double(3600 * pick([1, 6, 30, 100]))))
        case 5: .loseAttempt
        case 6, 7: .notification(.never)
        case 8: .notification(.slow)
        case 9: .notification(.replayed)
        case 10, 11: .notification(.forged(pick(DeliveryFault.Forgery.allCases)))
        case 12, 13: .loseUploadAnswer
        case 14: .uploadsFirst(below(2) == 0)
        default: .app(customer: pick(customers).name, isOpen: below(2) == 0)
        }
    }

    private mutating func server() -> ServerStep {
        switch below(8) {
        case 0, 1: .kill
        case 2, 3: .killDuringRequest(after: below(3))
        case 4: .killAsking
        case 5: .down(hours: pick([1, 5, 20, 100]))
        default: .api(pick([4_290_000, 5_000_000, 5_000_001]), times: 1 + below(3))
        }
    }

    private func word(_ text: String) -> String { Word.source(of: text, isQuoted: true) }

    private mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    private mutating func below(_ count: Int) -> Int { Int(random.next() % UInt64(count)) }
}

/// A customer in the life of a server.
package struct SimulatedCustomer: Hashable, Sendable {
    /// The customer's name, which is that of the store's account.
    let name: String
    /// The identifier by which the server knows the customer, and which purchases have as their token.
    let identifier: String

    /// Creates a customer.
    package init(name: String, identifier: String) { (self.name, self.identifier) = (name, identifier) }
}

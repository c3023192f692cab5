import Foundation
import StoreCore

/// A product in a request, for which a `.storekit` file would be too long.
///
/// As in such a file, it is generic if it has an identifier that Apple prescribes for Advanced Commerce.
package struct TestStoreProduct: Decodable {
    package let product: SandboxProduct

    enum CodingKeys: String, CodingKey, CaseIterable {
        case id, kind, price, name, description, group, level, period, trial, members, monthlyPrice, codeOffers
        case familyShareable
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.checkedContainer(keyedBy: CodingKeys.self)
        let id = try container.decode(String.self, forKey: .id)
        let word = try container.decodeIfPresent(String.self, forKey: .kind)
        guard let kind = word.map(SandboxProduct.Kind.init) ?? .consumable else {
            let kinds = SandboxProduct.Kind.allCases.map(\.rawValue)
            throw ControlFailure(.invalid, word ?? "", "is not a kind of product", among: kinds)
        }
        let draft = try Draft(container, id, kind)
        let monthlyPrice = try container.price(forKey: .monthlyPrice)
        guard monthlyPrice == nil || (kind.renews && draft.period == StoreProduct.Period(1, .year)) else {
            throw ControlFailure(.invalid, "\"\(id)\" has a monthlyPrice, and is no subscription of a year (P1Y)")
        }
        let offers = try container.decodeIfPresent([TestStoreCodeOffer].self, forKey: .codeOffers) ?? []
        do {
            var product = try SandboxProduct.makeThrowing { draft.product }
            if let monthlyPrice { product = try .makeThrowing { product.billedMonthly(price: monthlyPrice) } }
            for offer in offers { product = try offer.added(to: product) }
            self.product = product
        } catch let error as CatalogError {
            throw ControlFailure(.invalid, "\(error)")
        }
    }

    /// The members of a product that its kind decides about.
    private struct Draft {
        let id: String
        let kind: SandboxProduct.Kind
        let price: String
        let name: String?
        let description: String
        let group: String
        let level: Int
        let period: StoreProduct.Period?
        let trial: StoreProduct.Period?
        let members: [String]
        let isShared: Bool

        init(
            _ container: KeyedDecodingContainer<CodingKeys>,
            _ id: String,
            _ kind: SandboxProduct.Kind
        ) throws {
            (self.id, self.kind) = (id, kind)
            if kind == .freeSubscription, container.contains(.price) {
                throw ControlFailure(.invalid, "\"\(id)\" is a freeSubscription, and has a price")
            }
            price = kind == .freeSubscription ? "0" : try container.requiredPrice(forKey: .price)
            name = try container.decodeIfPresent(String.self, forKey: .name)
            description = try container.decodeIfPresent(String.self, forKey: .description) ?? ""
            isShared = try container.decodeIfPresent(Bool.self, forKey: .familyShareable) ?? false
            group = try container.decodeIfPresent(String.self, forKey: .group) ?? id
            level = try container.decodeIfPresent(Int.self, forKey: .level) ?? 1
            period = try container.period(forKey: .period)
            trial = try container.period(forKey: .trial)
            members = try container.decodeIfPresent([String].self, forKey: .members) ?? []
            guard kind.renews || (period == nil && trial == nil) else {
                throw ControlFailure(
                    .invalid,
                    "\"\(id)\" has a period or a trial, and is not autoRenewable, a subscriptionSuite or a "
                        + "subscriptionBundle"
                )
            }
            guard members.isEmpty || kind == .subscriptionSuite || kind == .subscriptionBundle else {
                let reason = "has members, and is neither a subscriptionSuite nor a subscriptionBundle"
                throw ControlFailure(.invalid, "\"\(id)\" \(reason)")
            }
        }

        /// The product, whose mistakes are reported as those of source code are.
        var product: SandboxProduct {
            let period = period ?? StoreProduct.Period(1, .month)
            let offer = trial.map { SandboxProduct.Offer.freeTrial($0) }
            var product: SandboxProduct =
                switch kind {
                case .consumable: .consumable(id, price: price, title: name, description: description)
                case .nonConsumable: .nonConsumable(id, price: price, title: name, description: description)
                case .nonRenewing: .nonRenewing(id, price: price, title: name, description: description)
                case .freeSubscription: .freeSubscription(id, title: name, description: description)
                case .autoRenewable:
                    .autoRenewable(
                        id,
                        price: price,
                        period: period,
                        group: group,
                        level: level,
                        title: name,
                        description: description,
                        introductoryOffer: offer
                    )
                case .subscriptionSuite:
                    .subscriptionSuite(
                        id,
                        price: price,
                        period: period,
                        group: group,
                        level: level,
                        members: members,
                        title: name,
                        description: description,
                        introductoryOffer: offer
                    )
                case .subscriptionBundle:
                    .subscriptionBundle(
                        id,
                        price: price,
                        period: period,
                        group: group,
                        level: level,
                        members: members,
                        title: name,
                        description: description,
                        introductoryOffer: offer
                    )
                }
            product.isFamilyShareable = isShared && kind != .consumable
            return product.genericByName
        }
    }
}

extension KeyedDecodingContainer {
    /// Returns a price, which is a text or a number; nil without one.
    func price(forKey key: Key) throws -> String? { contains(key) ? try requiredPrice(forKey: key) : nil }

    /// Returns a price, which is a text or a number.
    fileprivate func requiredPrice(forKey key: Key) throws -> String {
        if let text = try? decode(String.self, forKey: key) { return text }
        return "\(try decode(Decimal.self, forKey: key))"
    }

    /// Returns a length of time, such as P1M; nil without one.
    func period(forKey key: Key) throws -> StoreProduct.Period? {
        try decodeIfPresent(String.self, forKey: key).map { text in
            guard let period = StoreProduct.Period(iso8601: text) else {
                throw ControlFailure(.invalid, "\"\(text)\" is not a period such as P1W, P1M or P1Y")
            }
            return period
        }
    }
}

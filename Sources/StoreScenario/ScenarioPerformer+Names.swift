import StoreCore

extension ScenarioPerformer {
    /// Lists what the store has for a word of a kind.
    ///
    /// - Parameter kind: the kind. One that does not depend on the store has none, see ``ScenarioValueKind/words``.
    /// - Returns: identifiers or names, the oldest first.
    /// - Throws: the error that prevents reading the ledger.
    package func names(of kind: ScenarioValueKind) throws -> [String] {
        switch kind {
        case .product: return store.registeredProducts.map(\.identifier)
        case .account: return store.accounts.map(\.name)
        case .device: return store.devices.map(\.name)
        case .family: return store.families.map(\.name)
        case .subscriptionGroup:
            var seen: Set<String> = []
            let groups = store.registeredProducts.compactMap { $0.subscription?.groupIdentifier }
            return groups.filter { seen.insert($0).inserted }
        case .transaction(let pool): return try identifiers(in: pool)
        case .either(_, let kind): return try names(of: kind)
        case .duration, .moment, .number, .price, .country, .failure, .choice, .text: return []
        }
    }
}

extension ScenarioValueKind {
    /// The kind's word, as in `product` or `undecided`, where it depends on the store; nil for any other.
    package var noun: String? {
        switch self {
        case .product: "product"
        case .account: "account"
        case .device: "device"
        case .family: "family"
        case .subscriptionGroup: "group"
        case .transaction(.all): "transaction"
        case .transaction(.refundRequests): "refund-request"
        case .transaction(let pool): pool.rawValue
        case .either(_, let kind): kind.noun
        case .duration, .moment, .number, .price, .country, .failure, .choice, .text: nil
        }
    }

    /// The kinds that depend on the store, each with a ``noun`` of its own.
    package static let named: [ScenarioValueKind] =
        [.product, .account, .device, .family, .subscriptionGroup]
        + [.all, .sold, .undecided, .interrupted, .refunded, .refundRequests, .unfinished].map { .transaction($0) }
}

import StoreCore

extension Figure {
    static let refund = Figure(
        name: "refund",
        summary: "the refund of one of 100,000 purchases, beside one of 1,000",
        unit: "ns/refund",
        limit: 1.2,
        growth: Growth(of: "past purchases", unit: "ns/refund", sizes: [1_000, 10_000, 100_000]) { purchases in
            let past = try LookUps(purchases: purchases)
            return Growth.Probe { try past.refunds() }
        }
    ) {
        let (short, long) = (try LookUps(purchases: 1_000), try LookUps(purchases: 100_000))
        return Cases(floor: { try short.refunds() }, value: { try long.refunds() })
    }

    static let signedTransaction = Figure(
        name: "signed.transaction",
        summary: "the first readings of single transactions of 100,000, beside those of 1,000",
        unit: "ns/reading",
        limit: 1.2,
        growth: Growth(of: "past purchases", unit: "ns/reading", sizes: [1_000, 10_000, 100_000]) { purchases in
            let past = try LookUps(purchases: purchases)
            return Growth.Probe { try past.readings() }
        }
    ) {
        let (short, long) = (try LookUps(purchases: 1_000), try LookUps(purchases: 100_000))
        return Cases(floor: { try short.readings() }, value: { try long.readings() })
    }
}

/// A store with past purchases, of which nobody has read any: every second is a consumable, which the state has forgotten.
private struct LookUps {
    private let store: SandboxStore
    /// The transactions to look up, from the whole past.
    private let identifiers: [String]

    init(purchases: Int) throws {
        let products = ["com.example.coins", "com.example.season"]
        store = try SandboxStore(products: [
            .consumable(products[0], price: "0.99"), .nonRenewing(products[1], price: "4.99"),
        ])
        let observer = StoreFinisher()
        StoreContext(backend: store, delivery: .inline).run {
            let queue = SKPaymentQueue.default()
            queue.add(observer)
            for index in 0..<purchases { queue.add(SKPayment(productIdentifier: products[index % 2])) }
            queue.remove(observer)
        }
        try WrongCount.check(observer.removed, of: purchases, "purchases were removed")
        // An odd distance, so that both products are met.
        let count = 200
        identifiers = (0..<count).map { String(1 + $0 * (purchases / count) + $0 % 2) }
    }

    /// Refunds purchases, and takes that back outside of the time.
    func refunds() throws -> Sample {
        let time = try Stopwatch.nanoseconds { for identifier in identifiers { try store.refund(identifier) } }
        try WrongCount.check(Set(identifiers).count, of: identifiers.count, "purchases were refunded")
        for identifier in identifiers { try store.reverseRefund(of: identifier) }
        return Sample(value: time / Double(identifiers.count))
    }

    func readings() throws -> Sample {
        try .nanoseconds(each: identifiers.count, "transactions were read") {
            try identifiers.count { try store.signedTransaction($0).payload.transactionId == $0 }
        }
    }
}

import StoreCore

extension Scenario {
    /// The scenario of finishing transactions.
    static let finishing = Scenario(promises: [.finishedGone, .finishTold, .finishAcknowledged]) { harness in
        let products = harness.subject.products
        let other = try harness.connect(in: .unique())
        var sold = try harness.sell((0..<4).map { _ in harness.buy(products.consumable) })
        let order = harness.buy(products.unknown)
        try harness.submit([order], .refusalsAreUpdates)
        try harness.expectDecided([order])
        guard let failed = harness.look({ $0.transaction(of: order.id) }) else { return }

        // The failed transaction and one in the middle.
        let middle = sold.remove(at: 1)
        try harness.finish([failed, middle])
        try harness.expectTold([failed, middle], other)
        try harness.expectSnapshot()

        let finishes = [middle.identifier, "storecontract-no-such-transaction", ""].map {
            harness.command(.finish(transaction: $0))
        }
        try harness.submit(finishes, .finishAcknowledged)
        try harness.expectSnapshot(" after finishing what is unknown")

        // Another queue may finish transactions that it has not bought.
        if !harness.results.isBroken(.journalsApart) {
            let foreign = sold.removeFirst()
            try harness.finish([foreign], in: other.journal)
            if let main = harness.main { try harness.expectTold([foreign], main) }
            try harness.expectSnapshot(" after another queue finished one")
        }

        if harness.store.reopen != nil {
            try harness.reopen()
            try harness.expectSnapshot(" after the store was opened again")
        }
        try harness.finish(sold)
        try harness.expectSnapshot(" after all were finished")
    }
}

extension TestHarness {
    /// Checks that a connection hears that transactions are finished.
    fileprivate func expectTold(_ transactions: [StoreTransaction], _ line: Line) throws {
        for transaction in transactions {
            let isTold = wait { trace in
                line.news(in: trace).contains {
                    if case .finished(transaction.identifier, _) = $0 { true } else { false }
                }
            }
            let why = "a queue under another journal did not hear that \(name(transaction)) was finished"
            results.hold(.finishTold, isTold, why)
            let orders = look { line.news(in: $0) }.compactMap { update -> OrderID?? in
                if case .finished(transaction.identifier, let order) = update { order } else { nil }
            }
            results.hold(
                .finishTold,
                orders.allSatisfy { $0 == transaction.order },
                "\(name(transaction)) was told as finished without the order that led to it"
            )
        }
    }
}

import StoreCore

extension Scenario {
    /// The scenario of finishing transactions.
    static let finishing = Scenario(promises: [.finishedGone, .finishTold, .finishAcknowledged]) { stage in
        let products = stage.subject.products
        let other = try stage.connect(in: .unique())
        var sold = try stage.sell((0..<4).map { _ in stage.buy(products.consumable) })
        let order = stage.buy(products.unknown)
        try stage.submit([order], .refusalsAreUpdates)
        try stage.expectDecided([order])
        guard let failed = stage.look({ $0.transaction(of: order.id) }) else { return }

        // The failed transaction and one in the middle.
        let middle = sold.remove(at: 1)
        try stage.finish([failed, middle])
        try stage.expectTold([failed, middle], other)
        try stage.expectSnapshot()

        let finishes = [middle.identifier, "storecontract-no-such-transaction", ""].map {
            stage.command(.finish(transaction: $0))
        }
        try stage.submit(finishes, .finishAcknowledged)
        try stage.expectSnapshot(" after finishing what is unknown")

        // Another queue may finish transactions that it has not bought.
        if !stage.book.isBroken(.journalsApart) {
            let foreign = sold.removeFirst()
            try stage.finish([foreign], in: other.journal)
            if let main = stage.main { try stage.expectTold([foreign], main) }
            try stage.expectSnapshot(" after another queue finished one")
        }

        if stage.store.reopen != nil {
            try stage.reopen()
            try stage.expectSnapshot(" after the store was opened again")
        }
        try stage.finish(sold)
        try stage.expectSnapshot(" after all were finished")
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
            book.hold(.finishTold, isTold, why)
        }
    }
}

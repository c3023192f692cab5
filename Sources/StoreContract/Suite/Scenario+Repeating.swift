import StoreCore

extension Scenario {
    /// The scenario of commands that are submitted again.
    static let repeating = Scenario(promises: [.takenOnce, .repetitionsTaken, .journalsApart]) { harness in
        let products = harness.subject.products
        let first = [harness.buy(products.consumable), harness.buy(products.restorable ?? products.consumable)]
        let sold = try harness.sell(first)
        try harness.submit(first, .repetitionsTaken)
        try harness.quiet()
        harness.results.hold(.takenOnce, true, "")

        // Submits a command again together with a new one, as a queue does after the loss of a reply.
        let third = harness.buy(products.consumable)
        try harness.submit([first[1], third], .repetitionsTaken)
        try harness.expectDecided([third], when: ", submitted behind a repetition,")

        let apart = [
            harness.buy(products.consumable, in: .unique()),
            harness.command(.purchase(StorePayment(productIdentifier: products.consumable)), leavingOut: 5),
        ]
        for order in apart {
            try harness.submit([order])
            let isDecided = harness.wait { $0.result(of: order.id) != nil }
            let why =
                "nothing came of number \(order.id.number) of a journal, after other numbers of this and another one"
            harness.results.hold(.journalsApart, isDecided, why)
            guard isDecided else { throw Stop(reason: "numbers of journals are confused") }
        }

        let finishes = try harness.finish(sold)
        let restore = harness.command(.restore(applicationUsername: nil))
        try harness.submit([restore])
        try harness.expectEnd(restore)
        let all = first + [third] + apart + finishes + [restore]
        try harness.expectNothing(from: all, "")
        for command in all { try harness.expectNothing(from: [command], "") }
        try harness.expectSnapshot(" after all was repeated")

        guard harness.store.reopen != nil else { return }
        try harness.reopen()
        try harness.expectNothing(from: all, " to a store that was opened again")
        try harness.expectSnapshot(" after all was repeated to a store that was opened again")
    }
}

extension Scenario {
    /// The scenario of a command that is repeated after many other commands and a long time.
    static let remembering = Scenario(promises: []) { harness in
        let product = harness.subject.products.consumable
        let first = harness.buy(product)
        _ = try harness.sell([first])
        if !harness.results.isBroken(.journalsApart) {
            for _ in 0..<max(1, harness.subject.crowd) { _ = try harness.sell([harness.buy(product, in: .unique())]) }
        }
        try harness.expectNothing(from: [first], " after other journals")
        try harness.pass(days)
        try harness.expectNothing(from: [first], " days later")
        try harness.expectSnapshot(" after a command was repeated days later")
    }

    /// The seconds after which the command is repeated: longer than idempotency keys are usually stored.
    private static var days: Double { 3 * 86_400 }

    /// The scenario of receivers that connect immediately after a reply.
    static let lookingAtOnce = Scenario(promises: []) { harness in
        let product = harness.subject.products.consumable
        let order = harness.buy(product)
        try harness.submit([order])
        let isShown = try harness.shownNow().contains { $0.payment.productIdentifier == product }
        let why = "a snapshot that was begun right after an order was taken does not show its transaction"
        harness.results.hold(.unfinishedShown, isShown, why)
        guard isShown else { throw Stop(reason: "a snapshot lags behind") }
        try harness.expectDecided([order])
        guard let sold = harness.look({ $0.result(of: order.id) }) else { return }
        try harness.submit([harness.command(.finish(transaction: sold.identifier))])
        let isGone = try !harness.shownNow().contains { $0.identifier == sold.identifier }
        harness.results.hold(
            .finishedGone,
            isGone,
            "a snapshot that was begun right after a finish was taken shows \(harness.name(sold))"
        )
        try harness.quiet()
        harness.trace.change { $0.finished[sold.identifier] = $0.count }
    }
}

extension TestHarness {
    /// Returns the snapshot of a new receiver that connects immediately.
    fileprivate func shownNow() throws -> [StoreTransaction] {
        let line = try connect(in: .unique())
        try disconnect(line)
        return look { line.snapshot(in: $0) } ?? []
    }

    /// Submits commands again, and checks that they have no effect.
    fileprivate func expectNothing(from commands: [StoreCommand], _ when: String) throws {
        let before = look { $0.mainUpdates.count }
        // Submits in the order of the numbers, as a queue does; each journal has its own queue.
        for (_, commands) in Dictionary(grouping: commands, by: \.id.journal) {
            try submit(commands.sorted { $0.id.number < $1.id.number }, .repetitionsTaken)
        }
        try quiet()
        let news = look { $0.mainUpdates.dropFirst(before) }
        // Known updates may be repeated. A later check finds two transactions for one order.
        let known = look { $0.mainUpdates.prefix(before) }
        for update in news where !known.contains(update) {
            switch update {
            case .transaction(let transaction) where transaction.state == .restored:
                results.hold(
                    .takenOnce,
                    false,
                    "a restore that was submitted again\(when) brought \(name(transaction))"
                )
            case .restoreEnded: results.hold(.takenOnce, false, "a restore that was submitted again\(when) ended again")
            default: break
            }
        }
    }
}

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

        // An answer was lost, and the app has added a command meanwhile.
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

extension TestHarness {
    /// Submits commands again, and checks that nothing results.
    fileprivate func expectNothing(from commands: [StoreCommand], _ when: String) throws {
        let before = look { $0.mainUpdates.count }
        // In the order of their numbers, as a queue does; each journal has a queue of its own.
        for (_, commands) in Dictionary(grouping: commands, by: \.id.journal) {
            try submit(commands.sorted { $0.id.number < $1.id.number }, .repetitionsTaken)
        }
        try quiet()
        let news = look { $0.mainUpdates.dropFirst(before) }
        // Known updates may be repeated: two transactions for one order are found when everything is checked.
        let known = look { $0.mainUpdates.prefix(before) }
        for update in news where !known.contains(update) {
            switch update {
            case .transaction(let transaction) where transaction.state == .restored:
                results.hold(
                    .takenOnce,
                    false,
                    "a restore that was submitted again\(when) brought \(name(transaction))"
                )
            case .restoreEnded:
                results.hold(.takenOnce, false, "a restore that was submitted again\(when) ended again")
            default: break
            }
        }
    }
}

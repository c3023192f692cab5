import StoreCore

extension Scenario {
    /// The scenario of commands that are submitted again.
    static let repeating = Scenario(promises: [.takenOnce, .repetitionsTaken, .journalsApart]) { stage in
        let products = stage.subject.products
        let first = [stage.buy(products.consumable), stage.buy(products.restorable ?? products.consumable)]
        let sold = try stage.sell(first)
        try stage.submit(first, .repetitionsTaken)
        try stage.quiet()
        stage.book.hold(.takenOnce, true, "")

        // An answer was lost, and the app has added a command meanwhile.
        let third = stage.buy(products.consumable)
        try stage.submit([first[1], third], .repetitionsTaken)
        try stage.expectDecided([third], when: ", submitted behind a repetition,")

        let apart = [
            stage.buy(products.consumable, in: .unique()),
            stage.command(.purchase(StorePayment(productIdentifier: products.consumable)), leavingOut: 5),
        ]
        for order in apart {
            try stage.submit([order])
            let isDecided = stage.wait { $0.result(of: order.id) != nil }
            let why =
                "nothing came of number \(order.id.number) of a journal, after other numbers of this and another one"
            stage.book.hold(.journalsApart, isDecided, why)
            guard isDecided else { throw Stop(reason: "numbers of journals are confused") }
        }

        let finishes = try stage.finish(sold)
        let restore = stage.command(.restore(applicationUsername: nil))
        try stage.submit([restore])
        try stage.expectEnd(restore)
        let all = first + [third] + apart + finishes + [restore]
        try stage.expectNothing(from: all, "")
        for command in all { try stage.expectNothing(from: [command], "") }
        try stage.expectSnapshot(" after all was repeated")

        guard stage.store.reopen != nil else { return }
        try stage.reopen()
        try stage.expectNothing(from: all, " to a store that was opened again")
        try stage.expectSnapshot(" after all was repeated to a store that was opened again")
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
                book.hold(.takenOnce, false, "a restore that was submitted again\(when) brought \(name(transaction))")
            case .restoreEnded:
                book.hold(.takenOnce, false, "a restore that was submitted again\(when) ended again")
            default: break
            }
        }
    }
}

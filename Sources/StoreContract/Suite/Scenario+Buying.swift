import Foundation
import StoreCore

extension Scenario {
    /// The scenario of orders of every kind, and their results.
    static let buying = Scenario(promises: [
        .commandsInOrder, .nothingForgotten, .ordersEnd, .oneResult, .whatSellsIsSold, .refusalsAreUpdates,
        .statesInOrder, .paymentReturned, .identifiersStay, .valuesCodable, .unfinishedShown, .oldestFirst,
    ]) { stage in
        let products = stage.subject.products
        let several = StorePayment(
            productIdentifier: products.consumable,
            quantity: 3,
            applicationUsername: "storecontract"
        )
        var orders = [stage.buy(products.consumable)]
        if let restorable = products.restorable { orders.append(stage.buy(restorable)) }
        _ = try stage.sell(orders)
        // A store may refuse to sell several, but must say so.
        orders = [stage.command(.purchase(several)), stage.buy(products.consumable), stage.buy(products.consumable)]
        try stage.submit(orders)
        try stage.expectDecided(orders)
        stage.expectOrder(of: orders)

        var refused = [stage.buy(products.unknown)]
        if let product = products.refused { refused.append(stage.buy(product)) }
        // No app is entitled to request data.
        let data = StorePayment(productIdentifier: products.consumable, requestData: Data([1]))
        refused.append(stage.command(.purchase(data)))
        try stage.submit(refused, .refusalsAreUpdates)
        try stage.expectDecided(refused)
        for transaction in refused.compactMap({ order in stage.look { $0.result(of: order.id) } }) {
            stage.book.hold(
                .refusalsAreUpdates,
                transaction.state == .failed,
                "\(stage.name(transaction)), which should be refused, is \(transaction.state)"
            )
        }
        try stage.expectSnapshot()

        guard stage.store.reopen != nil else { return }
        try stage.reopen()
        try stage.expectSnapshot(" after the store was opened again")
        _ = try stage.sell([stage.buy(products.consumable)])
        try stage.expectSnapshot(" after the store was opened again")
    }

    /// The scenario of an order that waits for a decision.
    static let waiting = Scenario(promises: [.waitingStays]) { stage in
        guard let product = stage.subject.products.waiting else {
            throw Stop(reason: "the subject names nothing that waits")
        }
        let orders = [stage.buy(product), stage.buy(product)]
        try stage.submit(orders)
        for order in orders {
            let isSeen = stage.wait { $0.transaction(of: order.id) != nil }
            stage.book.hold(.nothingForgotten, isSeen, "an order that waits was taken, and no update shows it")
            guard isSeen else { throw Stop(reason: "an order that waits was forgotten") }
        }
        try stage.quiet()
        try stage.submit([orders[1]], .repetitionsTaken)
        try stage.quiet()
        let shown = orders.compactMap { order in stage.look { $0.transaction(of: order.id) } }
        for transaction in shown {
            stage.book.hold(
                .waitingStays,
                !transaction.state.isDecided,
                "\(stage.name(transaction)), about which nobody decided, is \(transaction.state)"
            )
        }
        try stage.expectSnapshot(" while it waits")
        if let approve = stage.store.approve, let first = shown.first {
            let failure: String? = try stage.call(.ordersEnd, "a decision") { _ in
                do { try approve(first.identifier) } catch { return "\(error)" }
                return nil
            }
            if let failure { throw Stop(reason: "the subject could not decide: \(failure)") }
            try stage.expectDecided([orders[0]], when: ", about which somebody decided,")
            try stage.expectSnapshot(" after one of two was decided")
        }
        guard stage.store.reopen != nil else { return }
        try stage.reopen()
        try stage.expectSnapshot(" after the store was opened again")
    }

    /// The scenario of many orders at once: a snapshot may arrive in parts.
    static let crowding = Scenario(promises: []) { stage in
        let orders = (0..<max(1, stage.subject.crowd)).map { _ in stage.buy(stage.subject.products.consumable) }
        try stage.submit(orders)
        try stage.expectDecided(orders)
        stage.expectOrder(of: orders)
        try stage.expectSnapshot(" among \(orders.count)")

        let line = try stage.connect()
        let batches = stage.look { trace in line.connections.flatMap { trace.connections[$0].batches } }
        var seen: Set<String> = []
        for batch in batches where batch.through.part != nil {
            seen.formUnion(batch.transactions)
            // A snapshot that was interrupted goes on, or begins again.
            let other = try stage.connect(after: batch.through)
            let all = Set(stage.look { $0.unfinished }.map(\.identifier))
            let isWhole = stage.wait { [seen] trace in
                let shown = Set(other.news(in: trace).compactMap(\.transaction?.identifier))
                return (other.snapshot(in: trace) == nil ? shown.union(seen) : shown).isSuperset(of: all)
            }
            let why = "a snapshot of \(all.count) transactions that went on after \(batch.through) did not become whole"
            stage.book.hold(.cursorResumes, isWhole, why)
            try stage.disconnect(other)
        }
    }
}

extension TestHarness {
    /// Checks that the orders of one submission first appear in the order of their numbers.
    func expectOrder(of orders: [StoreCommand]) {
        let known = Set(orders.map(\.id))
        let numbers = look { $0.transactions.compactMap(\.order).filter(known.contains) }.map(\.number)
        book.hold(
            .commandsInOrder,
            numbers == numbers.sorted(),
            "what came of one submission's orders came in this order: \(numbers.map(String.init).joined(separator: ", "))"
        )
    }
}

extension UpdateBatch {
    /// The identifiers of its transactions.
    var transactions: [String] { updates.compactMap(\.transaction?.identifier) }
}

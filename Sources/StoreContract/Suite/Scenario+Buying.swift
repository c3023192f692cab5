import Foundation
import StoreCore

extension Scenario {
    /// The scenario of orders of every kind, and their results.
    static let buying = Scenario(promises: [
        .commandsInOrder, .nothingForgotten, .ordersEnd, .oneResult, .whatSellsIsSold, .refusalsAreUpdates,
        .reasonsDiscreet, .statesInOrder, .paymentReturned, .identifiersStay, .valuesCodable, .unfinishedShown,
        .oldestFirst,
    ]) { harness in
        let products = harness.subject.products
        let several = StorePayment(
            productIdentifier: products.consumable,
            quantity: 3,
            applicationUsername: "storecontract"
        )
        var orders = [harness.buy(products.consumable)]
        if let restorable = products.restorable { orders.append(harness.buy(restorable)) }
        _ = try harness.sell(orders)
        // A store may refuse a quantity above 1, but has to report the refusal.
        let tooMany = StorePayment(productIdentifier: products.consumable, quantity: 1_000_000)
        orders = [
            harness.command(.purchase(several)), harness.buy(products.consumable), harness.buy(products.consumable),
            harness.command(.purchase(tooMany)),
        ]
        try harness.submit(orders)
        try harness.expectDecided(orders)
        harness.expectOrder(of: orders)

        var refused = [harness.buy(products.unknown)]
        if let product = products.refused { refused.append(harness.buy(product)) }
        // Store Kit reserves `requestData`: an order with it has to be refused.
        let user = "storecontract-user"
        let data = StorePayment(
            productIdentifier: products.consumable,
            applicationUsername: user,
            requestData: Data([1])
        )
        refused.append(harness.command(.purchase(data)))
        let unknown = StorePayment(productIdentifier: products.unknown, applicationUsername: user)
        refused.append(harness.command(.purchase(unknown)))
        try harness.submit(refused, .refusalsAreUpdates)
        try harness.expectDecided(refused)
        for transaction in refused.compactMap({ order in harness.look { $0.result(of: order.id) } }) {
            harness.results.hold(
                .refusalsAreUpdates,
                transaction.state == .failed,
                "\(harness.name(transaction)), which should be refused, is \(transaction.state)"
            )
            let isDiscreet = transaction.failure.map { !$0.reason.contains(user) } ?? true
            harness.results.hold(.reasonsDiscreet, isDiscreet, "\(harness.name(transaction)) failed and names the user")
        }
        try harness.expectSnapshot()

        guard harness.store.reopen != nil else { return }
        try harness.reopen()
        try harness.expectSnapshot(" after the store was opened again")
        _ = try harness.sell([harness.buy(products.consumable)])
        try harness.expectSnapshot(" after the store was opened again")
    }

    /// The scenario of an order under an offer that does not exist.
    static let offering = Scenario(promises: [.offersRefused]) { harness in
        guard let product = harness.subject.products.subscription else {
            throw Stop(reason: "the subject names no subscription")
        }
        var payment = StorePayment(productIdentifier: product)
        payment.offer = StoreOffer(kind: .promotional, identifier: "storecontract.no.such.offer")
        let order = harness.command(.purchase(payment))
        try harness.submit([order])
        try harness.expectDecided([order])
        let isRefused = harness.look { $0.result(of: order.id)?.state } == .failed
        harness.results.hold(.offersRefused, isRefused, "an order under an offer that the store does not have was sold")
    }

    /// The scenario of an order that waits for a decision.
    static let waiting = Scenario(promises: [.waitingStays]) { harness in
        guard let product = harness.subject.products.waiting else {
            throw Stop(reason: "the subject names nothing that waits")
        }
        let orders = [harness.buy(product), harness.buy(product)]
        try harness.submit(orders)
        for order in orders {
            let isSeen = harness.wait { $0.transaction(of: order.id) != nil }
            harness.results.hold(.nothingForgotten, isSeen, "an order that waits was taken, and no update shows it")
            guard isSeen else { throw Stop(reason: "an order that waits was forgotten") }
        }
        try harness.quiet()
        try harness.submit([orders[1]], .repetitionsTaken)
        try harness.quiet()
        let shown = orders.compactMap { order in harness.look { $0.transaction(of: order.id) } }
        for transaction in shown {
            harness.results.hold(
                .waitingStays,
                !transaction.state.isDecided,
                "\(harness.name(transaction)), about which nobody decided, is \(transaction.state)"
            )
        }
        try harness.expectSnapshot(" while it waits")
        if let approve = harness.store.approve, let first = shown.first {
            let failure: String? = try harness.call(.ordersEnd, "a decision") { _ in
                do { try approve(first.identifier) } catch { return "\(error)" }
                return nil
            }
            if let failure { throw Stop(reason: "the subject could not decide: \(failure)") }
            try harness.expectDecided([orders[0]], when: ", about which somebody decided,")
            try harness.expectSnapshot(" after one of two was decided")
        }
        guard harness.store.reopen != nil else { return }
        try harness.reopen()
        try harness.expectSnapshot(" after the store was opened again")
    }

    /// The scenario of many orders at once: a snapshot may arrive in parts.
    static let crowding = Scenario(promises: []) { harness in
        let orders = (0..<max(1, harness.subject.crowd)).map { _ in harness.buy(harness.subject.products.consumable) }
        try harness.submit(orders)
        try harness.expectDecided(orders)
        harness.expectOrder(of: orders)
        try harness.expectSnapshot(" among \(orders.count)")

        let line = try harness.connect()
        let batches = harness.look { trace in line.connections.flatMap { trace.connections[$0].batches } }
        var seen: Set<String> = []
        for batch in batches where batch.through.part != nil {
            seen.formUnion(batch.transactions)
            // A snapshot that was interrupted continues, or begins again.
            let other = try harness.connect(after: batch.through)
            let all = Set(harness.look { $0.unfinished }.map(\.identifier))
            let isWhole = harness.wait { [seen] trace in
                let shown = Set(other.news(in: trace).compactMap(\.transaction?.identifier))
                return (other.snapshot(in: trace) == nil ? shown.union(seen) : shown).isSuperset(of: all)
            }
            let why = "a snapshot of \(all.count) transactions that went on after \(batch.through) did not become whole"
            harness.results.hold(.cursorResumes, isWhole, why)
            try harness.disconnect(other)
        }
    }
}

extension TestHarness {
    /// Checks that the orders of one submission first appear in the order of their numbers.
    func expectOrder(of orders: [StoreCommand]) {
        let known = Set(orders.map(\.id))
        let numbers = look { $0.transactions.compactMap(\.order).filter(known.contains) }.map(\.number)
        results.hold(
            .commandsInOrder,
            numbers == numbers.sorted(),
            "what came of one submission's orders came in this order: \(numbers.map(String.init).joined(separator: ", "))"
        )
    }
}

extension UpdateBatch {
    /// The identifiers of the batch's transactions.
    var transactions: [String] { updates.compactMap(\.transaction?.identifier) }
}

import Foundation
import StoreCore

extension Scenario {
    /// The scenario of restoring purchases.
    static let restoring = Scenario(promises: [.restoreEnds, .restoredBeforeEnd, .restoreComplete, .consumablesStay]) {
        harness in
        let products = harness.subject.products
        _ = try harness.expectRestored([], " by an account that owns nothing")
        try harness.finish(try harness.sell([harness.buy(products.consumable)]))
        _ = try harness.expectRestored([], " by an account that used up what it bought")
        harness.results.hold(.consumablesStay, true, "")
        guard let restorable = products.restorable else { throw Stop(reason: "the subject names nothing restorable") }

        // Submits two restores with a finish between them: only the second restore returns the purchase.
        let bought = try harness.sell([harness.buy(restorable), harness.buy(products.consumable)])
        let early = harness.command(.restore(applicationUsername: nil))
        let finish = harness.command(.finish(transaction: bought[0].identifier))
        let late = harness.command(.restore(applicationUsername: nil))
        let count = harness.look { $0.restored.count }
        try harness.submit([early, finish, late])
        try harness.expectEnd(early, when: " of what is unfinished")
        try harness.expectEnd(late)
        harness.trace.change { $0.finished[bought[0].identifier] = $0.count }
        let tooEarly = harness.restoredBefore(early.id).dropFirst(count).filter { $0.payment == bought[0].payment }
        harness.results.hold(
            .commandsInOrder,
            tooEarly.isEmpty,
            "a restore brought back what was finished by a command behind it"
        )
        guard tooEarly.isEmpty else { throw Stop(reason: "restores and finishes are out of order") }
        let brought = harness.look { $0.restored }.dropFirst(count)
        harness.expect(Array(brought), restores: [bought[0]], " right behind its finish")
        harness.expectNoneBehind(late.id)
        try harness.expectSnapshot(" after a restore")

        // Finishes the restored transactions too. The next restore returns the purchase, and not its restored copies.
        try harness.finish(harness.look { $0.restored })
        let again = try harness.expectRestored([bought[0]], ", the second time")
        if harness.store.reopen != nil {
            try harness.reopen()
            try harness.expectSnapshot(" after the store was opened again")
            try harness.finish(again)
            _ = try harness.expectRestored([bought[0]], " after the store was opened again")
        }
    }
}

extension Scenario {
    /// The scenario of a purchase that is refunded before it is restored.
    static let refundingRestorable = Scenario(promises: []) { harness in
        guard let refund = harness.store.refund, let restorable = harness.subject.products.restorable else { return }
        let sold = try harness.sell([harness.buy(restorable)])[0]
        try harness.finish([sold])
        try harness.act("a refund") { try refund(sold.identifier) }
        try harness.quiet()
        _ = try harness.expectRestored([], " of a purchase that was refunded")
    }
}

extension TestHarness {
    /// Restores, and compares the restored transactions with the expected ones.
    fileprivate func expectRestored(_ originals: [StoreTransaction], _ when: String) throws -> [StoreTransaction] {
        let restore = command(.restore(applicationUsername: nil))
        let count = look { $0.restored.count }
        try submit([restore])
        try expectEnd(restore, when: when)
        expectNoneBehind(restore.id)
        let brought = Array(look { $0.restored }.dropFirst(count))
        expect(brought, restores: originals, when)
        return brought
    }

    fileprivate func expect(_ brought: [StoreTransaction], restores originals: [StoreTransaction], _ when: String) {
        for transaction in brought where transaction.payment.productIdentifier == subject.products.consumable {
            results.hold(.consumablesStay, false, "a restore\(when) brought \(name(transaction)), which is used up")
        }
        let rest = brought.filter { $0.payment.productIdentifier != subject.products.consumable }
        // Comparing two empty lists would prove little.
        if !rest.isEmpty || !originals.isEmpty {
            let why = "a restore\(when) brought \(rest.count) transactions for \(originals.count) finished purchases"
            results.hold(.restoreComplete, rest.count == originals.count, why)
        }
        for original in originals {
            guard let copy = rest.first(where: { $0.original?.identifier == original.identifier }) else {
                results.hold(
                    .restoreComplete,
                    false,
                    "a restore\(when) brought nothing that has \(name(original)) as original"
                )
                continue
            }
            results.hold(.restoreComplete, copy.order == nil, "\(name(copy)), which is restored, carries an order")
            results.hold(
                .restoreComplete,
                copy.payment == original.payment && copy.original?.payment == original.payment,
                "\(name(copy)), which is restored, does not carry its original's payment"
            )
            // A store may keep its dates in whole seconds.
            results.hold(
                .restoreComplete,
                copy.original.map { !(abs($0.date.timeIntervalSince(original.date)) >= 1) } ?? false,
                "\(name(copy)), which is restored, does not carry its original's date"
            )
        }
    }

    /// Returns the restored transactions that arrived before the end of a restore.
    fileprivate func restoredBefore(_ restore: OrderID) -> [StoreTransaction] {
        var restored: [StoreTransaction] = []
        for update in look({ $0.mainUpdates }) {
            switch update {
            case .transaction(let transaction) where transaction.state == .restored:
                if !restored.contains(where: { $0.identifier == transaction.identifier }) {
                    restored.append(transaction)
                }
            case .restoreEnded(restore, _): return restored
            default: break
            }
        }
        return restored
    }

    /// Checks that nothing arrives for a restore after its end.
    fileprivate func expectNoneBehind(_ restore: OrderID) {
        let late = look { $0.restored }.dropFirst(restoredBefore(restore).count)
        results.hold(
            .restoredBeforeEnd,
            late.isEmpty,
            "\(late.count) restored transactions came behind the restore's end"
        )
    }
}

extension Scenario {
    /// The scenario of connections that resume from a cursor.
    static let resuming = Scenario(promises: [.cursorResumes]) { harness in
        let products = harness.subject.products
        let sold = try harness.sell([harness.buy(products.consumable)])
        _ = try harness.sell([harness.buy(products.consumable)])
        let refused = harness.buy(products.unknown)
        try harness.submit([refused], .refusalsAreUpdates)
        try harness.expectDecided([refused])
        let restore = harness.command(.restore(applicationUsername: nil))
        try harness.submit([restore])
        try harness.expectEnd(restore)
        try harness.finish(sold)
        _ = try harness.sell([harness.buy(products.consumable)])
        try harness.quiet()
        try harness.expectResumption("")
        guard harness.store.reopen != nil else { return }
        try harness.reopen()
        _ = try harness.sell([harness.buy(products.consumable)])
        try harness.quiet()
        try harness.expectResumption(" of a store that was opened again")
    }
}

extension TestHarness {
    /// Connects after each cursor that a queue has had, and after one that the store has not reached.
    fileprivate func expectResumption(_ when: String) throws {
        let batches = look { $0.connections.filter(\.isMain).flatMap(\.batches) }
        let cursors = Set(batches.map(\.through)).filter { $0.part == nil }.sorted()
        for cursor in cursors {
            let changes = batches.filter { $0.through > cursor && $0.after.map { $0.part == nil } ?? false }
            try expect(changes.flatMap(\.updates), after: cursor, when)
        }
        guard let last = cursors.last else { return }
        let line = try connect(after: UpdateCursor(position: last.position + 1000))
        let isNew = wait { line.snapshot(in: $0) != nil }
        results.hold(.cursorResumes, isNew, "a connection\(when) from a place the store never came to has no snapshot")
        try disconnect(line)
    }

    private func expect(_ changes: [StoreUpdate], after cursor: UpdateCursor, _ when: String) throws {
        let line = try connect(after: cursor)
        let changed = Set(changes.compactMap(\.transaction?.identifier))
        let unfinished = look { $0.unfinished }
        let expected = unfinished.map(\.identifier).filter(changed.contains)
        // Ignores the result, since the checks below name the missing update.
        _ = wait { trace in
            let told = Set(line.news(in: trace).compactMap(\.transaction?.identifier))
            return line.snapshot(in: trace) != nil || told.isSuperset(of: expected)
        }
        try quiet()
        try disconnect(line)
        // A flaw of the chain is reported at the end of the scenario.
        guard look({ line.flaw(in: $0) }) == nil else { return }
        let what = "a connection after \(cursor)\(when)"
        let told = look { line.news(in: $0) }
        let toldTransactions = Set(told.compactMap(\.transaction?.identifier))
        if look({ line.snapshot(in: $0) }) != nil {
            // A store may begin with a snapshot instead of the changes.
            let missing = unfinished.filter { !toldTransactions.contains($0.identifier) }
            let why = "\(what) began anew without \(missing.first.map(name) ?? "")"
            return results.hold(.cursorResumes, missing.isEmpty, why)
        }
        for transaction in unfinished where changed.contains(transaction.identifier) {
            let latest = told.last { $0.transaction?.identifier == transaction.identifier }?.transaction
            results.hold(
                .cursorResumes,
                latest != nil,
                "\(what) is not told of \(name(transaction)), which came behind it"
            )
            results.hold(
                .cursorResumes,
                latest.map { $0.state == transaction.state || $0.state.isDecided && transaction.state.isDecided }
                    ?? true,
                "\(what) leaves \(name(transaction)) as \(latest?.state ?? .purchasing); it is \(transaction.state)"
            )
        }
        for case .restoreEnded(let restore, _) in changes {
            let isTold = told.contains { if case .restoreEnded(restore, _) = $0 { true } else { false } }
            results.hold(.cursorResumes, isTold, "\(what) is not told that a restore has ended")
        }
        let early = toldTransactions.subtracting(changed).first
        results.hold(
            .cursorResumes,
            early == nil,
            "\(what) is told of transaction \(early ?? ""), which came before it"
        )
    }
}

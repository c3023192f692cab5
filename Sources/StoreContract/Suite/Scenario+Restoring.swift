import StoreCore

extension Scenario {
    /// The scenario of restoring purchases.
    static let restoring = Scenario(promises: [.restoreEnds, .restoredBeforeEnd, .restoreComplete, .consumablesStay]) {
        stage in
        let products = stage.subject.products
        _ = try stage.expectRestored([], " by an account that owns nothing")
        try stage.finish(try stage.sell([stage.buy(products.consumable)]))
        _ = try stage.expectRestored([], " by an account that used up what it bought")
        stage.book.hold(.consumablesStay, true, "")
        guard let restorable = products.restorable else { throw Stop(reason: "the subject names nothing restorable") }

        // Unfinished purchases are not restored; one finished in the same submission is, from there on.
        let bought = try stage.sell([stage.buy(restorable), stage.buy(products.consumable)])
        let early = stage.command(.restore(applicationUsername: nil))
        let finish = stage.command(.finish(transaction: bought[0].identifier))
        let late = stage.command(.restore(applicationUsername: nil))
        let count = stage.look { $0.restored.count }
        try stage.submit([early, finish, late])
        try stage.expectEnd(early, when: " of what is unfinished")
        try stage.expectEnd(late)
        stage.trace.change { $0.finished[bought[0].identifier] = $0.count }
        let tooEarly = stage.restoredBefore(early.id).dropFirst(count).filter { $0.payment == bought[0].payment }
        stage.book.hold(
            .commandsInOrder,
            tooEarly.isEmpty,
            "a restore brought back what was finished by a command behind it"
        )
        guard tooEarly.isEmpty else { throw Stop(reason: "restores and finishes are out of order") }
        let brought = stage.look { $0.restored }.dropFirst(count)
        stage.expect(Array(brought), restores: [bought[0]], " right behind its finish")
        stage.expectNoneBehind(late.id)
        try stage.expectSnapshot(" after a restore")

        // Restored transactions are finished too, and the next restore brings the purchase, not its copies.
        try stage.finish(stage.look { $0.restored })
        let again = try stage.expectRestored([bought[0]], ", the second time")
        if stage.store.reopen != nil {
            try stage.reopen()
            try stage.expectSnapshot(" after the store was opened again")
            try stage.finish(again)
            _ = try stage.expectRestored([bought[0]], " after the store was opened again")
        }
    }
}

extension TestHarness {
    /// Restores, and compares the restored transactions with the expected ones.
    fileprivate func expectRestored(
        _ originals: [StoreTransaction],
        _ when: String
    ) throws -> [StoreTransaction] {
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
            book.hold(.consumablesStay, false, "a restore\(when) brought \(name(transaction)), which is used up")
        }
        let rest = brought.filter { $0.payment.productIdentifier != subject.products.consumable }
        // Comparing nothing with nothing shows little.
        if !rest.isEmpty || !originals.isEmpty {
            let why = "a restore\(when) brought \(rest.count) transactions for \(originals.count) finished purchases"
            book.hold(.restoreComplete, rest.count == originals.count, why)
        }
        for original in originals {
            guard let copy = rest.first(where: { $0.original?.identifier == original.identifier }) else {
                book.hold(
                    .restoreComplete,
                    false,
                    "a restore\(when) brought nothing that has \(name(original)) as original"
                )
                continue
            }
            book.hold(.restoreComplete, copy.order == nil, "\(name(copy)), which is restored, carries an order")
            book.hold(
                .restoreComplete,
                copy.payment == original.payment && copy.original?.payment == original.payment,
                "\(name(copy)), which is restored, does not carry its original's payment"
            )
        }
    }

    /// Returns the transactions that restores had brought when one of them ended.
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
        book.hold(.restoredBeforeEnd, late.isEmpty, "\(late.count) restored transactions came behind the restore's end")
    }
}

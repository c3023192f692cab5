import StoreCore

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
        // A missing update is reported below, with its name.
        _ = wait { trace in
            let told = Set(line.news(in: trace).compactMap(\.transaction?.identifier))
            return line.snapshot(in: trace) != nil || told.isSuperset(of: expected)
        }
        try quiet()
        try disconnect(line)
        // Flaws of the chain are reported when everything is checked.
        guard look({ line.flaw(in: $0) }) == nil else { return }
        let what = "a connection after \(cursor)\(when)"
        let told = look { line.news(in: $0) }
        let toldTransactions = Set(told.compactMap(\.transaction?.identifier))
        if look({ line.snapshot(in: $0) }) != nil {
            // The store begins with a snapshot, which it may.
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

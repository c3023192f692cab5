import Foundation
import StoreCore

// Checks of all messages that a store sends, in every scenario.
extension TestHarness {
    /// Checks all messages that have arrived.
    func judge() {
        let trace = look { $0 }
        let walks = trace.connections.map(\.walk)
        for walk in walks {
            results.hold(.chain, true, "")
            if let flaw = walk.flaw { results.hold(flaw.promise, false, flaw.why) }
        }
        // Skips flawed chains, which prove nothing about other promises.
        let sound = walks.filter { $0.flaw == nil }
        if trace.overlaps > 0 {
            let why = "a receiver was called while another thread had not come back from it, \(trace.overlaps) times"
            results.hold(.oneAtATime, false, why)
        }
        judgeFinished(trace, walks)
        judgeEnds(trace, sound)
        judgeStates(sound)
        judgeTransactions(trace, sound)
        judgeValues(trace)
    }

    /// Checks that finished transactions are not sent, except to receivers that request earlier changes.
    private func judgeFinished(_ trace: Trace, _ walks: [ChainChecker]) {
        for (connection, walk) in zip(trace.connections, walks) where walk.flaw == nil {
            var known: Set<String> = []
            for case (let number, .transaction(let transaction)) in walk.updates {
                // A receiver that connected before the finish may receive the transaction late, but not twice.
                let isNew = transaction.state.isDecided && known.insert(transaction.identifier).inserted
                guard let end = trace.finished[transaction.identifier], number >= end else { continue }
                let isLegal = connection.begun < end ? isNew || !transaction.state.isDecided : connection.asked != nil
                results.hold(
                    .finishedGone,
                    isLegal,
                    "\(name(transaction)) came again after its finish was acknowledged"
                )
            }
        }
    }

    /// Checks that a restore has one end on each connection.
    private func judgeEnds(_ trace: Trace, _ walks: [ChainChecker]) {
        for walk in walks {
            var ended: Set<OrderID> = []
            for case (let number, .restoreEnded(let restore, _)) in walk.updates {
                let isNew = ended.insert(restore).inserted
                if trace.isRepeated(restore, before: number) {
                    results.hold(.takenOnce, isNew, "a restore that was submitted again ended again")
                } else {
                    results.hold(.restoreEnds, isNew, "the end of a restore came twice on a connection")
                }
                guard case .restore? = trace.commands[restore]?.action else {
                    results.hold(.restoreEnds, false, "a restore ended, \(restore), that nobody asked for")
                    continue
                }
            }
        }
    }

    /// Checks the states of each transaction on each connection.
    private func judgeStates(_ walks: [ChainChecker]) {
        for walk in walks {
            var last: [String: StoreTransaction.State] = [:]
            for case (_, .transaction(let transaction)) in walk.updates {
                let new = transaction.state
                guard let old = last.updateValue(new, forKey: transaction.identifier), old != new else { continue }
                // Two different results violate another promise, `oneResult`, which is checked separately.
                if old.isDecided && new.isDecided { continue }
                let isLegal = old == .purchasing || old == .deferred && new.isDecided
                results.hold(.statesInOrder, isLegal, "\(name(transaction)) became \(new) after it was \(old)")
            }
        }
        results.hold(.statesInOrder, true, "")
    }

    /// Checks the promises about a transaction that hold across all connections.
    private func judgeTransactions(_ trace: Trace, _ walks: [ChainChecker]) {
        var states: [String: StoreTransaction.State] = [:]
        var orders: [OrderID: String] = [:]
        var owners: [String: Owner] = [:]
        for case (let number, .transaction(let transaction)) in walks.flatMap(\.updates) {
            results.hold(.identifiersStay, !transaction.identifier.isEmpty, "a transaction has an empty identifier")
            let owner = Owner(transaction)
            let first = owners[transaction.identifier, default: owner]
            owners[transaction.identifier] = first
            results.hold(
                .identifiersStay,
                first == owner,
                "the identifier \(transaction.identifier) stands for \(first) and for \(owner)"
            )
            if transaction.state.isDecided {
                let result = states[transaction.identifier, default: transaction.state]
                states[transaction.identifier] = result
                let what = name(transaction)
                results.hold(
                    .oneResult,
                    result == transaction.state,
                    "\(what) was \(result) and then \(transaction.state)"
                )
            }
            if transaction.state == .failed {
                let reason = transaction.failure?.reason ?? ""
                results.hold(.refusalsAreUpdates, !reason.isEmpty, "\(name(transaction)) failed without a reason")
            }
            guard let order = transaction.order, transaction.state != .restored else { continue }
            let identifier = orders[order, default: transaction.identifier]
            orders[order] = identifier
            results.hold(
                trace.isRepeated(order, before: number) ? .takenOnce : .identifiersStay,
                identifier == transaction.identifier,
                "one order for \(transaction.payment.productIdentifier) led to two transactions, \(identifier) and \(transaction.identifier)"
            )
            guard case .purchase(let payment)? = trace.commands[order]?.action else {
                results.hold(.paymentReturned, false, "\(name(transaction)) carries \(order), which is no order")
                continue
            }
            results.hold(
                .paymentReturned,
                payment == transaction.payment,
                "\(text(payment)) was ordered, \(name(transaction)) carries \(text(transaction.payment))"
            )
        }
    }

    /// The transaction or order that an identifier belongs to.
    private struct Owner: Equatable, CustomStringConvertible {
        let order: OrderID?
        let original: String?
        let product: String

        init(_ transaction: StoreTransaction) {
            order = transaction.state == .restored ? nil : transaction.order
            original = transaction.original?.identifier
            product = transaction.payment.productIdentifier
        }

        var description: String {
            let what = order.map { "order \($0)" } ?? original.map { "what restores \($0)" } ?? "what nobody ordered"
            return "\(product) (\(what))"
        }
    }

    private func judgeValues(_ trace: Trace) {
        // Checks updates that appear in several batches, such as snapshots, only once.
        var seen: Set<StoreUpdate> = []
        for var batch in trace.connections.flatMap(\.batches) {
            batch.updates.removeAll { !seen.insert($0).inserted }
            expectCodable(batch, "a batch")
        }
    }

    /// Checks that a value is the same after a round trip through JSON.
    func expectCodable<Value: Codable & Equatable>(_ value: Value, _ what: String) {
        do {
            let copy = try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(value))
            results.hold(.valuesCodable, copy == value, "\(what) is another one after encoding and decoding: \(value)")
        } catch {
            results.hold(.valuesCodable, false, "\(what) cannot be encoded and decoded: \(error)")
        }
    }

    func name(_ transaction: StoreTransaction) -> String { transaction.summary }

    private func text(_ payment: StorePayment) -> String {
        (try? JSONEncoder().encode(payment)).map { String(decoding: $0, as: UTF8.self) } ?? payment.productIdentifier
    }
}

// MARK: - Snapshots

extension TestHarness {
    /// Connects a new queue without a cursor and compares its snapshot with the known unfinished transactions.
    ///
    /// `when` describes the occasion in a report, as in " after it was opened again".
    func expectSnapshot(_ when: String = "") throws {
        try quiet()
        let line = try connect(in: .unique())
        let shown = look { line.snapshot(in: $0) } ?? []
        let expected = look { $0.unfinished }
        let finished = look { $0.finished }
        try disconnect(line)

        var isComplete = true
        let copies = Dictionary(shown.map { ($0.identifier, $0) }) { $1 }
        for transaction in expected {
            guard let copy = copies[transaction.identifier] else {
                isComplete = false
                results.hold(.unfinishedShown, false, "\(name(transaction)), \(transaction.state), is not shown\(when)")
                continue
            }
            results.hold(
                .unfinishedShown,
                copy.state == transaction.state || copy.state.isDecided && transaction.state.isDecided,
                "\(name(transaction)) is shown as \(copy.state)\(when), after it was \(transaction.state)"
            )
        }
        if !expected.isEmpty { results.hold(.unfinishedShown, true, "") }
        for transaction in shown where finished[transaction.identifier] != nil {
            results.hold(
                .finishedGone,
                false,
                "\(name(transaction)) is shown\(when), after its finish was acknowledged"
            )
        }
        if !finished.isEmpty { results.hold(.finishedGone, true, "") }
        let known = Set(expected.map(\.identifier))
        for transaction in shown where !known.contains(transaction.identifier) {
            guard finished[transaction.identifier] == nil else { continue }
            let why = "\(name(transaction)) is shown\(when), and whoever was connected was not told of it"
            results.hold(.nothingForgotten, false, why)
        }
        let order = shown.map(\.identifier).filter(known.contains)
        guard isComplete, expected.count > 1 else { return }
        results.hold(
            .oldestFirst,
            order == expected.map(\.identifier),
            "\(order.joined(separator: ", ")) are shown\(when) in this order, and came as \(expected.map(\.identifier).joined(separator: ", "))"
        )
    }
}

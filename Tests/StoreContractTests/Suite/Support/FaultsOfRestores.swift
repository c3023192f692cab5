import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofRestores: [Fault] = [
        // Brings what is to be restored, and leaves it at that.
        .batches("NeverEndsARestore", .restoreEnds) { [$0.replacing($0.updates.filter { !$0.isEnd })] },
        // Ends each restore twice.
        .batches("EndsARestoreTwice", .restoreEnds) {
            [$0.replacing($0.updates.flatMap { $0.isEnd ? [$0, $0] : [$0] })]
        },
        // Says that a restore has ended before it sends what it brought.
        .batches("EndsBeforeItBegins", .restoredBeforeEnd) {
            [$0.replacing($0.updates.filter(\.isEnd) + $0.updates.filter { !$0.isEnd })]
        },
        // Ends a restore without having brought anything.
        .transactions("RestoresNothing", .restoreComplete) { transaction, _ in
            transaction.state == .restored ? [] : [transaction]
        },
        Fault(RestoresUnderAnOrder.self, .restoreComplete),
        // Dates the purchase that it restores at the restore.
        .transactions("RestoresAsOfToday", .restoreComplete) { transaction, _ in
            guard var original = transaction.original else { return [transaction] }
            original.date = transaction.date + 60
            return [transaction.with(original: original)]
        },
        Fault(RestoresRefunded.self, .restoreComplete),
        Fault(RestoresConsumables.self, .consumablesStay),
    ]
}

/// Lets a restored transaction carry the order that paid for it.
private final class RestoresUnderAnOrder: SpoiltTransactions, @unchecked Sendable {
    private let orders = Locked<[String: OrderID]>([:])

    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        orders.withLock { orders in
            if let order = transaction.order { orders[transaction.identifier] = order }
            guard let original = transaction.original else { return [transaction] }
            return [transaction.with(order: orders[original.identifier])]
        }
    }
}

/// Brings back what was refunded, for a moment.
private final class RestoresRefunded: SpoiltStore, @unchecked Sendable {
    private let sold = Locked<[StoreTransaction]>([])

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        let refunded = (try? store.account.refunds.map(\.id)) ?? []
        return sold.withLock { sold in
            let updates = batch.updates.flatMap { update -> [StoreUpdate] in
                if case .transaction(let transaction) = update, transaction.state == .purchased,
                    transaction.payment.productIdentifier == "castle"
                {
                    sold.append(transaction)
                }
                guard case .restoreEnded(let restore, _) = update, !batch.isSnapshot else { return [update] }
                let back = sold.filter { refunded.contains($0.identifier) }.flatMap { original -> [StoreUpdate] in
                    let copy = StoreTransaction(
                        identifier: "\(original.identifier) for \(restore)",
                        payment: original.payment,
                        state: .restored,
                        date: original.date,
                        original: .init(identifier: original.identifier, date: original.date, payment: original.payment)
                    )
                    return [.transaction(copy), .finished(transaction: copy.identifier, order: nil)]
                }
                return back + [update]
            }
            return [batch.replacing(updates)]
        }
    }
}

/// Brings back what is used up, for a moment.
private final class RestoresConsumables: SpoiltStore, @unchecked Sendable {
    private let sold = Locked<StorePayment?>(nil)

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        sold.withLock { sold in
            let updates = batch.updates.flatMap { update -> [StoreUpdate] in
                if case .transaction(let transaction) = update, transaction.state == .purchased,
                    transaction.payment.productIdentifier == "sword"
                {
                    sold = transaction.payment
                }
                guard case .restoreEnded(let restore, _) = update, let payment = sold else { return [update] }
                let copy = StoreTransaction(
                    identifier: "copy for \(restore)",
                    payment: payment,
                    state: .restored,
                    date: .distantPast,
                    original: .init(identifier: "used up", date: .distantPast, payment: payment)
                )
                return [.transaction(copy), .finished(transaction: copy.identifier, order: nil), update]
            }
            return [batch.replacing(updates)]
        }
    }
}

extension StoreUpdate {
    fileprivate var isEnd: Bool { if case .restoreEnded = self { true } else { false } }
}

import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofRestores: [Fault] = [
        Fault(NeverEndsARestore.self, .restoreEnds),
        Fault(EndsARestoreTwice.self, .restoreEnds),
        Fault(EndsBeforeItBegins.self, .restoredBeforeEnd),
        Fault(RestoresNothing.self, .restoreComplete),
        Fault(RestoresUnderAnOrder.self, .restoreComplete),
        Fault(RestoresConsumables.self, .consumablesStay),
    ]
}

/// Brings what is to be restored, and leaves it at that.
private final class NeverEndsARestore: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.replacing(batch.updates.filter { !$0.isEnd })]
    }
}

/// Ends each restore twice.
private final class EndsARestoreTwice: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.replacing(batch.updates.flatMap { $0.isEnd ? [$0, $0] : [$0] })]
    }
}

/// Says that a restore has ended before it sends what it brought.
private final class EndsBeforeItBegins: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.replacing(batch.updates.filter(\.isEnd) + batch.updates.filter { !$0.isEnd })]
    }
}

/// Ends a restore without having brought anything.
private final class RestoresNothing: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        transaction.state == .restored ? [] : [transaction]
    }
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

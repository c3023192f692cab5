import Foundation

// The store's state and events as updates for queues.
extension SandboxState {
    /// The undecided orders, oldest first.
    var undecided: [TransactionNumber] {
        var numbers: [TransactionNumber] = []
        numbers.reserveCapacity(waiting.count)
        waiting.forEachTransaction { number, _ in numbers.append(number) }
        return numbers
    }

    /// The undecided orders for which no answer of an authorizer is recorded, oldest first.
    var unasked: [TransactionNumber] {
        var numbers: [TransactionNumber] = []
        waiting.forEachTransaction { number, isAsked in
            if !isAsked, transactions[number]?.transaction.state == .purchasing { numbers.append(number) }
        }
        return numbers
    }

    // MARK: Devices

    /// Whether a device receives a transaction, which must be its account's, and ordered on this device or on none.
    @inline(__always)
    func isVisible(_ row: Row, on device: DeviceID) -> Bool {
        guard row.device == nil || row.device == device else { return false }
        return row.account == nil || row.account == devices[device].account
    }

    /// Returns all unfinished transactions on a device, oldest first.
    func unfinished(on device: DeviceID) -> [StoreTransaction] {
        let count = devices[device].unfinished + (devices[device].account.map { accounts[$0].unfinished } ?? 0)
        guard count > 0 else { return [] }
        var result: [StoreTransaction] = []
        result.reserveCapacity(count)
        transactions.forEach { _, row in if isVisible(row, on: device) { result.append(transactionToSend(row)) } }
        return result
    }

    /// Adds the updates that a queue on a device receives after an event, which the state has applied.
    ///
    /// Finishes from the queue's own journal are left out, since the queue knows them. A transaction is reported in its
    /// state at the event, even if a later event has decided it. Otherwise, a queue could finish the transaction, and
    /// then receive it again for the later event.
    func addUpdates(from event: StoreEvent, for device: DeviceID, journal: JournalID, to updates: inout [StoreUpdate]) {
        switch event {
        case .unreadable, .registered, .availability, .accountAdded, .deviceAdded, .signedIn, .paymentsAllowed, .asked,
            .ended, .autoRenewal, .receiptRefreshed, .billing:
            break
        case .operator(let change): addUpdates(from: change, for: device, to: &updates)
        case .ordered(let order):
            if order.device == device { addTransaction(order.transaction, as: .purchasing, for: device, to: &updates) }
        case .refused(let order, _), .sold(let order), .approved(let order), .held(let order, _):
            if order.device == device { addTransaction(order.transaction, for: device, to: &updates) }
        case .deferred(let number): addTransaction(number, as: .deferred, for: device, to: &updates)
        case .declined(let number, _): addTransaction(number, for: device, to: &updates)
        case .finished(let finish):
            let isOfItsAccount = finish.account.map { $0 == devices[device].account } ?? false
            guard finish.device == device || isOfItsAccount, let number = finish.transaction,
                finish.command.journal != journal
            else { return }
            updates.append(.finished(transaction: number.identifier, order: finish.order))
        case .restored(let restoration):
            guard restoration.device == device else { return }
            for number in restoration.transactions { addTransaction(number, for: device, to: &updates) }
        case .restoreEnded(let place, let command):
            if place == device { updates.append(.restoreEnded(command, failure: nil)) }
        case .restoreRefused(let place, let command, let failure):
            if place == device { updates.append(.restoreEnded(command, failure: failure)) }
        case .renewed(_, let number, _, _): addTransaction(number, for: device, to: &updates)
        case .redeemed(let redemption): addTransaction(redemption.purchase.transaction, for: device, to: &updates)
        }
    }

    @inline(__always)
    func addTransaction(
        _ number: TransactionNumber,
        as past: StoreTransaction.State? = nil,
        for device: DeviceID,
        to updates: inout [StoreUpdate]
    ) {
        guard let row = transactions[number], isVisible(row, on: device) else { return }
        let transaction = row.transaction
        guard let past, past != transaction.state else { return updates.append(.transaction(transactionToSend(row))) }
        updates.append(.transaction(transaction.becoming(past)))
    }
}

extension StoreTransaction {
    func becoming(_ state: State, failure: StoreFailure? = nil, held: String? = nil) -> StoreTransaction {
        StoreTransaction(
            identifier: identifier,
            order: order,
            payment: payment,
            state: state,
            date: date,
            failure: failure,
            heldIdentifier: held
        )
    }
}

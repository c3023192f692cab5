import Foundation
import StoreCore
import StoreKit

/// What a device's history depends on.
struct HistoryState: Equatable {
    let records: Int
    let moment: Date
    let account: Int?
}

// Checks that Store Kit 2, Store Kit 1 and the model agree.
extension Simulation {
    /// Checks the outcomes of purchases since the last operation.
    func checkPurchases() -> String? {
        guard usesTasks else { return nil }
        for device in apps.indices {
            let purchases = apps[device].tasks.purchases
            guard purchases.contains(where: { $0.outcome != nil }) else { continue }
            apps[device].tasks.purchases = purchases.filter { $0.outcome == nil }
            for purchase in purchases {
                if let outcome = purchase.outcome, let violation = check(outcome, of: purchase, on: device) {
                    return "device \(device) \(violation)"
                }
            }
        }
        return nil
    }

    private func check(_ outcome: PurchaseProbe.Outcome, of purchase: PurchaseProbe, on device: Int) -> String? {
        let entry = modelDriver.model.entry(ofTag: purchase.tag)
        let isRight: Bool
        switch outcome {
        case .purchased(let identifier, let token):
            if let answer = entry?.answer.map({ modelDriver.model.entries[$0] }) {
                // No app may have heard of it yet, as of a renewal.
                isRight = answer.identifier ?? identifier == identifier
            } else {
                isRight =
                    entry?.stage == .purchased && entry?.identifier == identifier
                    && token == PaymentTag.token(purchase.tag)
            }
        case .pending: isRight = entry?.neededApproval == true || entry?.wasInterrupted == true
        case .canceled: isRight = entry?.failure == .paymentCancelled
        case .abandoned: isRight = purchase.isCanceled
        case .failed(let error):
            let hasOtherUser = purchase.userNumber != apps[device].tasks.userNumber
            if purchase.isRefused {
                isRight = entry == nil && error as? Product.PurchaseError == .invalidQuantity
            } else if entry?.isDeleted == true || entry?.answer.map({ modelDriver.model.entries[$0].isDeleted }) == true
            {
                // Its transaction can neither arrive nor be read.
                isRight = true
            } else if PurchaseProbe.isUnknown(error) {
                isRight = hasOtherUser || entry?.failure == .unknown
            } else if let code = entry?.failure {
                isRight = PurchaseProbe.isRight(error, for: code)
            } else {
                // It was sold, and cannot be read: it is an update now.
                let isLost = eventLog.historyFailures > 0 && PurchaseProbe.isLoss(error)
                isRight = entry?.stage == .purchased && (isLost || hasOtherUser)
            }
        }
        if isRight { return nil }
        return "buys payment \(purchase.tag) with \(outcome), and it is \(entry.map { "\($0.stage)" } ?? "unknown")"
    }

    /// Checks what Store Kit 2 says on a device when nothing is in flight.
    func checkTasks(of device: Int) -> String? {
        let tasks = apps[device].tasks
        guard tasks.isInUse else { return nil }
        for purchase in tasks.purchases where purchase.outcome == nil {
            if let violation = checkWaiting(purchase, on: device) { return violation }
        }
        let account = modelDriver.model.devices[device].account
        let state = HistoryState(records: disk.head, moment: clock.now, account: account)
        if readHistories[device] != state {
            readHistories[device] = state
            if let violation = checkTransactions(of: device) { return violation }
        }
        return checkUpdates(on: device)
    }

    private func checkWaiting(_ purchase: PurchaseProbe, on device: Int) -> String? {
        guard let entry = modelDriver.model.entry(ofTag: purchase.tag) else {
            return "payment \(purchase.tag) of device \(device) is lost on its way"
        }
        let isSomebodyElses = entry.account != nil && entry.account != modelDriver.model.devices[device].account
        if !entry.stage.isDecided || entry.isDeleted || !entry.isLive || isSomebodyElses { return nil }
        return "device \(device) waits for the outcome of payment \(purchase.tag), which is \(entry.stage)"
    }

    /// Checks unfinished transactions and entitlements.
    private func checkTransactions(of device: Int) -> String? {
        let tasks = apps[device].tasks
        let read = tasks.read { () -> (unfinished: [Transaction], entitlements: [Transaction]) in
            var (unfinished, entitlements): ([Transaction], [Transaction]) = ([], [])
            for await result in Transaction.unfinished { unfinished.append(result.unsafePayloadValue) }
            for await result in Transaction.currentEntitlements { entitlements.append(result.unsafePayloadValue) }
            return (unfinished, entitlements)
        }
        guard let read else { return "Store Kit 2 does not answer on device \(device)" }
        return checkUnfinished(read.unfinished, on: device) ?? checkEntitlements(read.entitlements, on: device)
    }

    private func checkUnfinished(_ unfinished: [Transaction], on device: Int) -> String? {
        let model = modelDriver.model
        let found = Set(unfinished.map { String($0.id) })
        let listed = listed(on: device)
        if found != listed {
            return
                "device \(device) has \(found.sorted()) unfinished by Store Kit 2, and \(listed.sorted()) by Store Kit 1"
        }
        let right = Set(model.unfinished(on: device).compactMap { model.entries[$0].identifier })
        if found != right || unfinished.count != right.count {
            return "device \(device) has \(found.sorted()) unfinished by Store Kit 2, and should have \(right.sorted())"
        }
        return nil
    }

    /// The purchased and restored transactions that Store Kit 1 lists on a device.
    private func listed(on device: Int) -> Set<String> {
        var listed: Set<String> = []
        for transaction in apps[device].queue.transactions {
            guard !transaction.isHeld, let identifier = transaction.transactionIdentifier else { continue }
            switch Model.Stage(transaction.transactionState) {
            case .purchased, .restored: listed.insert(identifier)
            case .purchasing, .deferred, .failed: break
            }
        }
        return listed
    }

    /// Checks what the user may use.
    private func checkEntitlements(_ entitlements: [Transaction], on device: Int) -> String? {
        let model = modelDriver.model
        let right = model.devices[device].account.map { model.entitlements(of: $0) } ?? [:]
        let isRight =
            entitlements.count == right.values.reduce(0) { $0 + $1.count }
            && entitlements.allSatisfy { transaction in
                transaction.revocationDate == nil
                    && right[transaction.productID]?.contains { Self.isSame($0, transaction.expirationDate) } == true
            }
        if isRight { return nil }
        let found = entitlements.map { "\($0.productID) until \($0.expirationDate as Any)" }.sorted()
        let all = right.map { "\($0.key) until \($0.value.map { $0 as Any })" }.sorted()
        return "device \(device) is entitled to \(found), and should be to \(all)"
    }

    /// Whether two dates are the same to the millisecond, as they are signed.
    private static func isSame(_ date: Date?, _ other: Date?) -> Bool {
        guard let date, let other else { return date == nil && other == nil }
        return abs(date.timeIntervalSince(other)) < 0.002
    }

    /// Checks that whoever listens has heard of everything.
    private func checkUpdates(on device: Int) -> String? {
        let tasks = apps[device].tasks
        if eventLog.historyFailures != historyFailures.count {
            historyFailures = (eventLog.historyFailures, pauses.now + 300)
        }
        let listeners = tasks.listeners.filter { !$0.isOver && !$0.isPaused }
        if listeners.isEmpty || pauses.now < historyFailures.repetition { return nil }
        let (unfinished, revoked) = (listed(on: device), revoked(on: device))
        for listener in listeners {
            if let lost = unfinished.subtracting(listener.identifiers).subtracting(tasks.returned).min() {
                return "updates on device \(device) do not have transaction \(lost)"
            }
            if let lost = revoked.subtracting(listener.revoked).min() {
                return "updates on device \(device) do not have the revoked transaction \(lost)"
            }
        }
        return nil
    }
}

// MARK: - Both faces

extension Simulation {
    /// Checks that all that Store Kit 2 reads is in the receipt that Store Kit 1 reads, and the other way around.
    func checkFaces(on device: Int) -> String? {
        let read = apps[device].tasks.read { () -> (all: [Transaction], entitlements: [Transaction]) in
            var (all, entitlements): ([Transaction], [Transaction]) = ([], [])
            for await result in Transaction.all { all.append(result.unsafePayloadValue) }
            for await result in Transaction.currentEntitlements { entitlements.append(result.unsafePayloadValue) }
            return (all, entitlements)
        }
        guard let read else { return "Store Kit 2 does not answer on device \(device)" }
        let receipt = endpoints[device].appReceipt.flatMap { try? AppReceipt(verifying: $0, signer: Self.signer) }
        return checkHistory(read.all, on: device) ?? checkEntitlements(read.entitlements, on: device)
            ?? receipt.flatMap { compare(read.entitlements, with: $0, on: device) }
    }

    private func checkHistory(_ all: [Transaction], on device: Int) -> String? {
        let model = modelDriver.model
        let right = model.devices[device].account.map { model.bought(by: $0) } ?? []
        let found = Set(all.map { String($0.id) })
        let named = Set(right.compactMap { model.entries[$0].identifier })
        if found.count == right.count, all.count == right.count, named.isSubset(of: found) { return nil }
        return
            "device \(device) has the history \(found.sorted()), and should have \(right.count), and \(named.sorted())"
    }

    private func compare(_ entitlements: [Transaction], with receipt: AppReceipt, on device: Int) -> String? {
        let purchases = receipt.purchases.filter { $0.cancellationDate == nil }
        let owned = Set(purchases.filter { $0.subscription == nil }.map(\.productIdentifier))
            .intersection(["game", "season"])
        let entitled = Set(entitlements.filter { $0.expirationDate == nil }.map(\.productID))
        if owned != entitled {
            return "device \(device) is entitled to \(entitled.sorted()), and has receipts of \(owned.sorted())"
        }
        for transaction in entitlements where transaction.expirationDate != nil {
            let isThere = purchases.contains {
                $0.productIdentifier == transaction.productID
                    && Self.isSame($0.subscription?.expirationDate, transaction.expirationDate)
            }
            if !isThere { return "device \(device) is entitled to \(transaction.productID), and has no receipt of it" }
        }
        return nil
    }
}

import Foundation
import StoreCore

// What apps read in their receipts.
extension World {
    /// The app on a device has its receipt brought up to date, and reads it.
    func refreshReceipt(_ kind: Step.ReceiptKind, on device: Int) {
        let properties = ReceiptProperties(
            isExpired: kind == .expired,
            isRevoked: kind == .revoked,
            isVolumePurchase: kind == .volume
        )
        let count = disk.committed
        let isRefused = !witness.isReachable[device] || witness.model.devices[device].account == nil
        witness.begin { [disk] _ in disk.survived > count }
        if !isRefused {
            witness.model.devices[device].hasReceipt = true
            witness.model.devices[device].receiptKind = kind
            witness.model.devices[device].refreshDate = clock.now
        }
        // It is told at once.
        let said = Answer()
        store.device(named: Self.deviceNames[device])?.refreshReceipt(properties) { said.failure = $0 }
        witness.end()
        if lifeline.store.isDead { return }
        if isRefused != (said.failure != nil) {
            let outcome = isRefused ? "should not be" : "is not"
            diary.broke("the receipt of device \(device) \(outcome) refreshed: \(said.failure as Any)")
        } else if let violation = checkReceipt(on: device) {
            diary.broke(violation)
        }
    }

    func checkReceipts() -> String? {
        for device in apps.indices {
            if let violation = checkReceipt(on: device) { return violation }
        }
        return nil
    }

    /// Whether a device's receipt says what the model says.
    private func checkReceipt(on device: Int) -> String? {
        witness.model.advance(to: clock.now)
        let model = witness.model
        guard let data = gates[device].appReceipt else {
            return model.hasReceipt(on: device) ? "device \(device) has no receipt, and should have one" : nil
        }
        guard model.hasReceipt(on: device) else { return "device \(device) has a receipt, and should have none" }
        guard let receipt = try? AppReceipt(verifying: data, signer: Self.signer) else {
            return "the receipt of device \(device) is not the store's"
        }
        let (kind, date) = (model.devices[device].receiptKind, model.devices[device].refreshDate)
        guard receipt.expirationDate == (kind == .expired ? date : nil),
            receipt.revocationDate == (kind == .revoked ? date : nil), receipt.isVolumePurchase == (kind == .volume)
        else { return "the receipt of device \(device) does not say that it is \(kind)" }
        return checkLines(of: receipt, model, on: device)
    }

    private func checkLines(of receipt: AppReceipt, _ model: Model, on device: Int) -> String? {
        var rest: [Model.ReceiptLine: Int] = [:]
        var named: Set<Int> = []
        for index in model.receiptEntries(on: device) {
            if model.entries[index].identifier != nil {
                named.insert(index)
            } else {
                rest[model.receiptLine(index), default: 0] += 1
            }
        }
        for purchase in receipt.purchases {
            let line = Model.ReceiptLine(purchase)
            if let index = model.ofIdentifier[purchase.transactionIdentifier] {
                guard named.remove(index) != nil, line == model.receiptLine(index) else {
                    let right = model.receiptLine(index)
                    return "the receipt of device \(device) has \(purchase), which should be \(right)"
                }
            } else {
                // Nobody has heard of it yet.
                guard let count = rest[line], count > 0 else {
                    return "the receipt of device \(device) has \(purchase), which nobody bought"
                }
                rest[line] = count - 1
            }
        }
        let missing = named.map(model.receiptLine) + rest.filter { $0.value > 0 }.keys
        // In the same order in every process.
        return missing.isEmpty
            ? nil : "the receipt of device \(device) does not have \(missing.map { "\($0)" }.sorted())"
    }
}

/// What a store says to somebody who waits for it.
private final class Answer: @unchecked Sendable {  // unchecked: a life is lived on one thread
    var failure: StoreFailure?
}

extension Model.ReceiptLine {
    fileprivate init(_ purchase: AppReceipt.Purchase) {
        product = purchase.productIdentifier
        quantity = purchase.quantity
        date = purchase.purchaseDate
        end = purchase.subscription?.expirationDate
        cancellation = purchase.cancellationDate
        isFree = purchase.subscription?.isTrialPeriod ?? false
        offer = purchase.subscription?.promotionalOfferIdentifier
    }
}

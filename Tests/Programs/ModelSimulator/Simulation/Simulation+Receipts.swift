import Foundation
import StoreCore

// Receipts that apps read.
extension Simulation {
    func checkReceipts() -> String? {
        for device in apps.indices {
            if let violation = checkReceipt(on: device) { return violation }
            if usesTasks, let violation = checkFaces(on: device) { return violation }
        }
        return nil
    }

    /// Checks a device's receipt against the model.
    func checkReceipt(on device: Int) -> String? {
        modelDriver.model.advance(to: clock.now)
        let model = modelDriver.model
        guard let data = endpoints[device].appReceipt else {
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
                let first = model.entries[index].original.flatMap { model.entries[$0].identifier }
                if let first, first != purchase.originalTransactionIdentifier {
                    return "the receipt of device \(device) has \(purchase), which should go back to \(first)"
                }
            } else {
                // No app has heard of it yet.
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

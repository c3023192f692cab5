import Foundation
import StoreCore

// Requests of apps, and the store's answers.
extension ModelDriver {
    func describes(_ identifiers: Set<String>, on device: Int) -> TrackedRequest.Answer {
        isReachable[device] ? model.listing(identifiers) : .unreachable
    }

    /// Returns the store's answer to a receipt refresh.
    func refreshesReceipt(_ kind: SimulatedOperation.ReceiptKind, on device: Int) -> TrackedRequest.Answer {
        begin()
        guard isReachable[device] else { return .unreachable }
        guard model.devices[device].account != nil else { return .init(.storeKit(.clientInvalid, "")) }
        model.devices[device].hasReceipt = true
        model.devices[device].receiptKind = kind
        model.devices[device].refreshDate = model.now
        return .done
    }

    /// Changes what is promoted for an app, and returns the answer.
    func changesPromotion(_ change: PromotionChange, on device: Int) -> TrackedRequest.Answer {
        var after = model
        after.promote(change, on: device)
        let overrides = after.promotionOverrides(on: device)
        begin { $0.device(named: Model.deviceNames[device])?.promotionOverrides == overrides }
        guard isReachable[device] else { return .unreachable }
        model.promote(change, on: device)
        return .done
    }
}

extension SimulatedOperation.ReceiptKind {
    init(_ properties: ReceiptProperties) {
        self =
            properties.isExpired
            ? .expired : properties.isRevoked ? .revoked : properties.isVolumePurchase ? .volume : .plain
    }
}

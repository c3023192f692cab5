import Foundation
import StoreCore

// What apps ask of their store, and what it has to say.
extension ModelDriver {
    func describes(_ identifiers: Set<String>, on device: Int) -> Inquiry.Answer {
        isReachable[device] ? model.listing(identifiers) : .unreachable
    }

    /// The store brings a receipt up to date.
    func refreshesReceipt(_ kind: Step.ReceiptKind, on device: Int) -> Inquiry.Answer {
        begin()
        guard isReachable[device] else { return .unreachable }
        guard model.devices[device].account != nil else { return .init(.storeKit(.clientInvalid, "")) }
        model.devices[device].hasReceipt = true
        model.devices[device].receiptKind = kind
        model.devices[device].refreshDate = model.now
        return .done
    }

    /// An app changes what is promoted.
    func changesPromotion(_ change: PromotionChange, on device: Int) -> Inquiry.Answer {
        var after = model
        after.promote(change, on: device)
        let overrides = after.promotionOverrides(on: device)
        begin { $0.device(named: Simulation.deviceNames[device])?.promotionOverrides == overrides }
        guard isReachable[device] else { return .unreachable }
        model.promote(change, on: device)
        return .done
    }
}

extension Step.ReceiptKind {
    init(_ properties: ReceiptProperties) {
        self =
            properties.isExpired
            ? .expired : properties.isRevoked ? .revoked : properties.isVolumePurchase ? .volume : .plain
    }
}

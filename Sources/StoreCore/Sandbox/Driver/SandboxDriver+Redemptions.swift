import Foundation

extension SandboxDriver {
    /// Makes a purchase in the store itself, and returns its transaction's identifier.
    func redeem(
        _ decide: (SandboxState, Date, RenewalRate, inout [LedgerRecord]) throws -> Void
    ) throws -> String {
        let rate = shell.withLock { $0.settings.rules.renewalRate }
        var transaction: TransactionNumber = 0
        try change { state, events, now in
            try decide(state, now, rate, &events)
            if case .redeemed(let redemption)? = events.last?.event {
                transaction = redemption.purchase.held ?? redemption.purchase.transaction
            }
        }
        return transaction.identifier
    }

    /// Performs the action of a device's user in the sheet, and returns its failure.
    func enterCode(on device: DeviceID) -> StoreFailure? {
        let (entry, isReachable) = shell.withLock { shell in
            (shell.settings.codeEntries[device], shell.settings.isReachable(from: device))
        }
        guard isReachable else { return Self.unreachable }
        switch entry {
        case nil:
            let reason =
                "nobody has said what the user enters into the sheet for offer codes: set the device's codeEntry"
            return .storeKit(.unknown, reason)
        case .cancel?: return nil
        case .redeem(let code, let product)?:
            do {
                _ = try redeem { state, now, rate, events in
                    let place = state.devices[device]
                    guard let account = place.account else {
                        throw StoreFailure.storeKit(.clientInvalid, "nobody is signed in on this device")
                    }
                    guard place.mayPay else {
                        throw StoreFailure.storeKit(.paymentNotAllowed, "payments are not allowed on this device")
                    }
                    try state.redeem(code: code, of: product, account, now: now, rate, &events)
                }
                return nil
            } catch {
                return StoreFailure(ofStore: error)
            }
        }
    }
}

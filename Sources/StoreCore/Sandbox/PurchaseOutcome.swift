import Foundation

/// The outcome of a single purchase, which the operator has chosen beforehand.
package enum PurchaseOutcome: Hashable, Sendable {
    /// The payment is decided in a way.
    case decided(Authorization)
    /// The purchase is interrupted: its user has to do something first.
    case interrupted

    fileprivate var authorization: Authorization {
        switch self {
        case .decided(let authorization): authorization
        case .interrupted: .approve
        }
    }
}

extension SandboxDevice {
    /// Orders a product with an outcome, which replaces the settings for purchases for this order only.
    ///
    /// The authorizer, Ask to Buy, the interruption of the account's purchases, and a failure of every purchase do not
    /// apply. The rules about what is sold do: a product that is not on sale is refused.
    ///
    /// - Throws: a network failure if the device cannot reach the store, and the ledger's errors.
    package func order(_ payment: StorePayment, as order: OrderID, outcome: PurchaseOutcome) throws {
        var rules = driver.state.withLock { $0.settings.rules }
        if payment.hasSpecialTerms { rules.offers = rules.offers.checking([payment]) }
        rules.purchaseFailure = nil
        rules.interrupts = outcome == .interrupted
        let command = StoreCommand(id: order, action: .purchase(payment))
        try driver.use { driverState, now in
            guard driverState.settings.isReachable(from: number) else { throw SandboxDriver.unreachable }
            try driverState.refresh()
            try driverState.change(now: now) {
                $0.order(command, from: number, outcome.authorization, rules, now: now)
            }
        }
    }
}

import Foundation

/// An interrupted purchase, which waits until its user acts outside the app.
public struct InterruptedPurchase: Hashable, Sendable {
    /// The identifier of the failed transaction.
    public let transaction: String
    /// The name of the account that will pay.
    public let account: String
    /// The name of the device on which the product was ordered.
    public let device: String
    /// The product's identifier.
    public let productIdentifier: String
    /// The ordered quantity.
    public let quantity: Int
}

extension SandboxAccount {
    /// Whether every order of the account is interrupted; false for a new account.
    public var interruptsPurchases: Bool {
        driver.look { driverState, _ in driverState.state.operatorState.interruptedAccounts.contains(number) }
    }

    /// Sets whether all of the account's orders from now on are interrupted.
    ///
    /// An interruption simulates a user who has to agree to something outside the app first: instead of a charge, the
    /// transaction fails with the code `unknown`, and the purchase waits among ``SandboxStore/interruptedPurchases``.
    /// Store Kit 2 reports the purchase as pending. The ledger stores the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setInterruptsPurchases(_ isOn: Bool) throws {
        try driver.change { state, events, now in
            guard state.operatorState.interruptedAccounts.contains(number) != isOn else { return }
            events.append(LedgerRecord(date: now, event: .operator(.interruptsPurchases(account: number, isOn))))
        }
    }
}

extension SandboxStore {
    /// The interrupted purchases that are not resolved yet, oldest first.
    public var interruptedPurchases: [InterruptedPurchase] {
        driver.look { driverState, _ in
            let state = driverState.state
            return state.operatorState.issues.sorted { $0.key < $1.key }.map { number, issue in
                InterruptedPurchase(
                    transaction: number.identifier,
                    account: state.accounts[issue.account].name,
                    device: state.devices[issue.device].name,
                    productIdentifier: issue.payment.productIdentifier,
                    quantity: issue.payment.quantity
                )
            }
        }
    }

    /// Resolves an interrupted purchase, as if its user had acted.
    ///
    /// The device of the order receives a new purchased transaction for the same product and quantity, at once or at
    /// its app's next launch. The new transaction is charged now, under the current rules; the failed transaction was
    /// not charged.
    ///
    /// - Parameter transaction: the failed transaction, finished or not.
    /// - Throws: ``SandboxError`` if no such purchase waits; a ``StoreFailure`` if the store no longer sells the
    ///   product, or not under the requested offer, in which case the purchase still waits; and the ledger's errors.
    public func resolveInterruption(of transaction: String) throws {
        let rules = driver.state.withLock { $0.settings.rules }
        try driver.change { state, events, now in
            guard let number = TransactionNumber(transaction), let issue = state.operatorState.issues[number] else {
                throw SandboxError(.notInterrupted(transaction))
            }
            let purchase = try state.resolution(of: issue.payment, by: issue.account, on: issue.device, rules, now: now)
            events.append(LedgerRecord(date: now, event: .operator(.resolved(transaction: number, purchase))))
        }
    }
}

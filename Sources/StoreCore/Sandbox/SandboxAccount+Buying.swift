import Foundation

extension SandboxAccount {
    /// Buys a product without an app's order, as if in the store itself or by a code.
    ///
    /// It comes as a purchased transaction to every device on which the account is signed in, until one of them has
    /// finished it: to running apps at once, to the others at their next launch. The rules of orders apply, but no
    /// authorization is asked for, nothing interrupts the purchase, and ``SandboxStore/purchaseFailure`` does not
    /// apply.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - quantity: the quantity, 1 to 10.
    ///   - applicationUsername: the app's own name for its user, if it should carry one.
    /// - Returns: the transaction's identifier.
    /// - Throws: a ``StoreFailure`` with the reason why it is not sold, and the ledger's errors.
    @discardableResult
    public func buy(
        _ productIdentifier: String,
        quantity: Int = 1,
        applicationUsername: String? = nil
    ) throws -> String {
        let payment = StorePayment(
            productIdentifier: productIdentifier,
            quantity: quantity,
            applicationUsername: applicationUsername
        )
        let rules = core.shell.withLock { $0.settings.rules }
        var transaction: TransactionNumber = 0
        try core.change { state, events, now in
            let purchase = try state.purchase(payment, by: number, on: nil, rules, now: now)
            transaction = purchase.transaction
            events.append(LedgerRecord(date: now, event: .operator(.bought(purchase))))
        }
        return transaction.identifier
    }
}

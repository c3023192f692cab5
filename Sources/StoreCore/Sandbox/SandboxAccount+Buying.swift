import Foundation

extension SandboxAccount {
    /// Buys something without an app's order, as if in the store itself or by a code.
    ///
    /// It comes as a purchased transaction to every device on which the account is signed in: to running apps at once, to
    /// the others at their next launch, until one of them has finished it. What an order has to observe holds here too;
    /// but nobody is asked, nothing interrupts it, and it does not fail because ``SandboxStore/purchaseFailure`` is set.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - quantity: how many of it, 1 to 10.
    ///   - applicationUsername: the app's own name for its user, if it should carry one.
    /// - Returns: the store's name for the transaction.
    /// - Throws: a ``StoreFailure`` that says why it is not sold, and what the ledger throws.
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
        var transaction = 0
        try core.change { state, events, now in
            let purchase = try state.purchase(payment, by: number, on: nil, rules, now: now)
            transaction = purchase.transaction
            events.append(LedgerRecord(date: now, event: .owner(.bought(purchase))))
        }
        return String(transaction)
    }
}

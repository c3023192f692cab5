import Foundation

extension SandboxAccount {
    /// Buys a product without an app's order, as if in the store itself or by a code.
    ///
    /// It comes as a purchased transaction to every device on which the account is signed in, until one of them has
    /// finished it: to running apps at once, to the others at their next launch. The rules of orders apply, but no
    /// authorization is asked for, nothing interrupts the purchase, and ``SandboxStore/purchaseFailure`` does not
    /// apply. Where a subscription goes on, because it runs already or changes at its renewal, nothing is sold, and nothing
    /// comes to any device.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - quantity: the quantity, 1 to 10.
    ///   - applicationUsername: the app's own name for its user, if it should carry one.
    /// - Returns: the transaction's identifier; that of the running period where nothing is sold.
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
        return try buy(payment)
    }

    /// Buys a product on a payment's terms, without an app's order, likewise.
    ///
    /// - Throws: a ``StoreFailure`` with the reason why it is not sold, and the ledger's errors.
    package func buy(_ payment: StorePayment) throws -> String {
        var rules = core.shell.withLock { $0.settings.rules }
        if payment.hasSpecialTerms { rules.offers = rules.offers.checking([payment]) }
        var transaction: TransactionNumber = 0
        try core.use { shell, now in
            try shell.refresh()
            try shell.change(now: now) { transaction = try $0.buy(payment, by: number, rules, now: now) }
        }
        return transaction.identifier
    }
}

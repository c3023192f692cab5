import Foundation

extension SandboxStore {
    /// The signed receipt of an unfinished transaction that is purchased or restored, nil for every other.
    ///
    /// It says all that the store knows of the payment: a restored transaction has its own identifier and date, and its
    /// original's beside them. Made anew each time.
    public func receipt(forTransaction identifier: String) -> Data? {
        guard let number = SandboxState.number(of: identifier),
            let transaction = shell.withLock({ $0.state.transaction(number) }),
            transaction.state == .purchased || transaction.state == .restored
        else { return nil }
        let receipt = TransactionReceipt(
            quantity: transaction.payment.quantity,
            productIdentifier: transaction.payment.productIdentifier,
            transactionIdentifier: identifier,
            originalTransactionIdentifier: transaction.original?.identifier,
            purchaseDate: transaction.date,
            originalPurchaseDate: transaction.original?.date,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            applicationUsername: transaction.payment.applicationUsername
        )
        // A signer that fails leaves the transaction without a receipt; the one in the box does not.
        return try? receipt.data(signedBy: signer)
    }

    /// What the store says of a receipt: whether it signed it, and what is in it.
    public func verify(receipt: Data) -> ReceiptVerification {
        ReceiptVerification(of: receipt, signer: signer, at: timekeeper.now)
    }
}

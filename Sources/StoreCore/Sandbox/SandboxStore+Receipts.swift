import Foundation

extension SandboxStore {
    /// What the store says of a receipt: whether it signed it, and what is in it.
    public func verify(receipt: Data) -> ReceiptVerification {
        ReceiptVerification(of: receipt, signer: signer, at: timekeeper.now)
    }
}

extension SandboxCore {
    /// The signed receipt of an unfinished transaction that a device sees as purchased or restored.
    func receipt(forTransaction identifier: String, on device: Int) -> Data? {
        guard let number = SandboxState.number(of: identifier) else { return nil }
        let text = shell.withLock { shell -> TransactionReceipt? in
            let state = shell.state
            guard let row = state.transactions[number], state.isVisible(row, on: device),
                row.transaction.state == .purchased || row.transaction.state == .restored
            else { return nil }
            return self.receipt(of: row, in: state)
        }
        // A signer that fails leaves the transaction without a receipt; the one in the box does not.
        return try? text?.data(signedBy: signer)
    }

    private func receipt(of row: SandboxState.Row, in state: SandboxState) -> TransactionReceipt {
        let transaction = row.transaction
        let term = row.history < 0 ? nil : state.accounts[Int(row.account)].history[Int(row.history)].term
        return TransactionReceipt(
            quantity: transaction.payment.quantity,
            productIdentifier: transaction.payment.productIdentifier,
            transactionIdentifier: transaction.identifier,
            originalTransactionIdentifier: term.map { String($0.original) } ?? transaction.original?.identifier,
            purchaseDate: transaction.date,
            originalPurchaseDate: term?.originalDate ?? transaction.original?.date,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            subscription: term.map(TransactionReceipt.Subscription.init),
            applicationUsername: transaction.payment.applicationUsername
        )
    }
}

extension TransactionReceipt.Subscription {
    init(_ term: SubscriptionTerm) {
        self.init(
            expirationDate: term.end,
            isTrialPeriod: term.offer?.mode == .freeTrial,
            isInIntroductoryOfferPeriod: term.offer != nil && term.offer?.mode != .freeTrial
        )
    }
}

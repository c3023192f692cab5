import Foundation

extension SandboxStore {
    /// Reads an app receipt that this store signed.
    ///
    /// - Throws: the reason for a refusal; see ``AppReceipt/init(verifying:signer:)``.
    public func verify(appReceipt: Data) throws(ReceiptRefusal) -> AppReceipt {
        try AppReceipt(verifying: appReceipt, signer: signer)
    }

    /// Verifies a transaction's receipt: its signature, its content, and the present state of the purchase.
    ///
    /// The receipt of any period of an auto-renewable subscription reports the current state of the subscription and
    /// the fields of its newest period's receipt: see ``ReceiptVerification/latestFields`` and
    /// ``ReceiptVerification/isExpired``. A subscription that the family shares is verified by the member's own
    /// transactions. A subscription that another store with the same key sold, and that this store therefore does not
    /// know, is verified by the receipt alone.
    ///
    /// - Parameter receipt: the receipt itself, not its Base64 form.
    /// - Returns: the verification; a status and a reason if the store rejects the receipt.
    public func verify(receipt: Data) -> ReceiptVerification {
        let verification = ReceiptVerification(of: receipt, signer: signer, at: clock.now)
        guard let subscription = verification.subscription else { return verification }
        let latest = driver.look { driverState, now in
            driver.latest(of: subscription.original, from: subscription.date, in: driverState.state, at: now)
        }
        guard let latest else { return verification }
        // If the signer fails, the failure is logged, and the verification lacks the present state.
        let continued = driver.signed(.transactionReceipt) {
            try verification.continued(by: latest.receipt, isOver: latest.isOver, signer: signer)
        }
        return continued ?? verification
    }
}

extension SandboxDriver {
    /// Returns the signed receipt of an unfinished transaction that a device sees as purchased or restored.
    func receipt(forTransaction identifier: String, on device: DeviceID) -> Data? {
        guard let number = TransactionNumber(identifier) else { return nil }
        let text = state.withLock { driverState -> TransactionReceipt? in
            let state = driverState.state
            guard let row = state.transactions[number], state.isVisible(row, on: device),
                row.transaction.state == .purchased || row.transaction.state == .restored
            else { return nil }
            return self.receipt(of: row, in: state)
        }
        // If the signer fails, which the built-in one never does, the transaction has no receipt.
        return signed(.transactionReceipt) { try text?.data(signedBy: signer) }
    }

    /// Returns the receipt of a subscription's newest period, and whether the subscription is over.
    ///
    /// Nil if no subscription began with the original transaction, or if the one that did began at another time: the
    /// receipt is then from another store.
    fileprivate func latest(
        of original: String,
        from milliseconds: String,
        in state: SandboxState,
        at now: Date
    ) -> (receipt: TransactionReceipt, isOver: Bool)? {
        guard let number = TransactionNumber(original),
            let (account, newest) = state.newestPurchase(ofOriginal: number),
            let term = state.accounts[account].history[newest].term,
            // Nil for a date that a receipt cannot express.
            (try? ReceiptDate(term.originalDate)).map({ String($0.milliseconds) }) == milliseconds,
            let receipt = receipt(of: newest, by: account, in: state)
        else { return nil }
        guard let index = state.subscriptions.index(ofOriginal: number) else {
            return (receipt, state.accounts[account].history[newest].isCancelled || term.end <= now)
        }
        let subscription = state.subscriptions[index]
        return (receipt, !subscription.isRunning || subscription.term.end <= now)
    }

    /// Returns the receipt that the transaction of a purchase had before it was finished.
    private func receipt(
        of index: PurchaseIndex,
        by account: AccountID,
        in state: SandboxState
    ) -> TransactionReceipt? {
        let purchase = state.accounts[account].history[index]
        guard let itself = purchase.asOriginal.original else { return nil }
        let period = state.period(of: index, by: account)
        return TransactionReceipt(
            quantity: itself.payment.quantity,
            productIdentifier: itself.payment.productIdentifier,
            transactionIdentifier: itself.identifier,
            originalTransactionIdentifier: purchase.term.map { $0.original.identifier },
            purchaseDate: itself.date,
            originalPurchaseDate: purchase.term?.originalDate,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            appItemIdentifier: appAppleIdentifier(in: signer.environment).map { String($0) },
            subscription: purchase.term.map { TransactionReceipt.Subscription($0, period) },
            applicationUsername: itself.payment.applicationUsername,
            cancellationDate: purchase.isCancelled ? state.revocations.cancellation(of: itself.identifier) : nil
        )
    }

    private func receipt(of row: SandboxState.Row, in state: SandboxState) -> TransactionReceipt {
        let transaction = row.transaction
        if let held = state.held(for: row), let account = row.account,
            let place = state.accounts[account].history.indices.last(where: {
                state.accounts[account].history[$0].identifier == held
            }), let receipt = receipt(of: place, by: account, in: state)
        {
            return receipt
        }
        var subscription: TransactionReceipt.Subscription?
        var term: SubscriptionTerm?
        if let account = row.account, let index = row.history {
            term = state.accounts[account].history[index].term
            subscription = term.map { TransactionReceipt.Subscription($0, state.period(of: index, by: account)) }
        }
        return TransactionReceipt(
            quantity: transaction.payment.quantity,
            productIdentifier: transaction.payment.productIdentifier,
            transactionIdentifier: transaction.identifier,
            originalTransactionIdentifier: term.map { $0.original.identifier } ?? transaction.original?.identifier,
            purchaseDate: transaction.date,
            originalPurchaseDate: term?.originalDate ?? transaction.original?.date,
            bundleIdentifier: bundleIdentifier,
            bundleVersion: bundleVersion,
            appItemIdentifier: appAppleIdentifier(in: signer.environment).map { String($0) },
            subscription: subscription,
            applicationUsername: transaction.payment.applicationUsername,
            cancellationDate: state.revocations.cancellation(of: transaction)
        )
    }
}

extension SandboxState {
    /// Returns the newest period of the subscription that began with a transaction; a member's own period if the
    /// subscription comes from the family.
    fileprivate func newestPurchase(ofOriginal number: TransactionNumber) -> (AccountID, PurchaseIndex)? {
        if let index = subscriptions.index(ofOriginal: number) {
            return newestPurchase(ofOriginal: number, by: subscriptions[index].account)
        }
        if families.isEmpty { return nil }
        return accounts.indices.lazy.compactMap { newestPurchase(ofOriginal: number, by: $0) }.first
    }

    private func newestPurchase(
        ofOriginal number: TransactionNumber,
        by account: AccountID
    ) -> (AccountID, PurchaseIndex)? {
        let history = accounts[account].history
        return history.chain(of: number).last {
            !history[$0].isDeferredChange && !history[$0].isDeleted
        }
        .map { (account, $0) }
    }
}

extension TransactionReceipt.Subscription {
    /// Creates the attributes of a term; `period` is the transaction that began its period.
    init(_ term: SubscriptionTerm, _ period: TransactionNumber?) {
        self.init(
            expirationDate: term.end,
            webOrderLineItemIdentifier: period?.identifier,
            isTrialPeriod: term.offer?.terms.paymentMode == .freeTrial,
            isInIntroductoryOfferPeriod: term.offer?.kind == .introductory
                && term.offer?.terms.paymentMode != .freeTrial,
            promotionalOfferIdentifier: term.offer?.identifier(as: .promotional),
            codeReferenceName: term.offer?.identifier(as: .code)
        )
    }
}

// The store's transactions as JWS. A value is created when it is read, and signed when its JWS is first read. The store
// caches up to 2,048 values: an unchanged value that is read again within the same second of the store's clock is not
// signed again. The first read loads the ledger; from then on, the store applies new records as they are written.
extension SandboxStore {
    /// The defect with which the store signs transactions, renewals and app transactions; nil, the default, for valid
    /// signatures.
    ///
    /// The defect applies to values read from now on, and causes an app to reject them as unverified. Receipts are
    /// signed correctly. If the defect is in a certificate, a signer without certificates breaks the signature instead;
    /// Store Kit 2 still reports the defect that is set.
    public var signatureDefect: SignatureDefect? {
        get { driver.signing.withLock { $0.defect } }
        set { driver.signing.withLock { $0.defect = newValue } }
    }

    /// The signer of the store's JWS: its ``signer`` if that can sign JWS, else an ``HMACReceiptSigner`` of its own.
    ///
    /// Where libcrypto is installed, Store Kit 2 replaces an ``HMACReceiptSigner`` without a given key when it first
    /// reads the store: with an `AppStoreSigner` of the module StoreCrypto, whose certificate authority is in memory.
    public var payloadSigner: any PayloadSigner { driver.payloadSigner }

    /// Returns a purchase, renewal or restored purchase of any account, as a server receives it.
    ///
    /// The transaction remains available, finished or not, until it is deleted. It can be read even while the store
    /// cannot be reached from devices.
    ///
    /// - Parameter identifier: the transaction's identifier.
    /// - Returns: the transaction in its current state.
    /// - Throws: ``SandboxError`` for an unknown transaction, also for one that failed or is not decided, and the
    ///   ledger's errors.
    public func signedTransaction(_ identifier: String) throws -> SignedValue<TransactionPayload> {
        try driver.signedTransaction(identifier)
    }
}

extension SandboxAccount {
    /// The account's transactions, as a server receives them, oldest first: its purchases, their renewals, and what its
    /// family shares with it.
    ///
    /// Finished and refunded transactions are included. Restored transactions, which repeat others, and purchases that
    /// only changed the product of a later renewal are left out.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedTransactions: [SignedValue<TransactionPayload>] {
        get throws { try driver.signedTransactions(of: number) }
    }

    /// Returns the account's subscriptions in a group, as a server receives them.
    ///
    /// The account's own come first: one, or several by requests of Advanced Commerce. Those that its family shares
    /// with it follow, and then those that the family no longer shares.
    ///
    /// - Parameter group: the group's identifier.
    /// - Returns: the subscriptions, running or ended; none if the account never had any.
    /// - Throws: the error that prevents reading the ledger.
    public func signedSubscriptions(inGroup group: String) throws -> [SignedSubscription] {
        try driver.signedSubscriptions(inGroup: group, of: number)
    }

    /// The account's purchase of the app itself, as a server receives it.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedAppTransaction: SignedValue<AppTransactionPayload> {
        get throws { try driver.signedAppTransaction(of: number) }
    }
}

// These payloads are tied to the device by a hash of ``identifierForVendor``, if the signer creates such hashes.
extension SandboxDevice {
    /// Returns a transaction of the account that is signed in, for this device.
    ///
    /// - Parameter identifier: the transaction's identifier.
    /// - Returns: the transaction in its current state.
    /// - Throws: as ``SandboxStore/signedTransaction(_:)``, also for a transaction of another account.
    public func signedTransaction(_ identifier: String) throws -> SignedValue<TransactionPayload> {
        try driver.signedTransaction(identifier, on: number)
    }

    /// The transactions of the account that is signed in, for this device; see ``SandboxAccount/signedTransactions``.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedTransactions: [SignedValue<TransactionPayload>] {
        get throws { try driver.signedTransactions(on: number) }
    }

    /// Returns the subscriptions of the account that is signed in, for this device.
    ///
    /// - Parameter group: the group's identifier.
    /// - Returns: as ``SandboxAccount/signedSubscriptions(inGroup:)``; none if no account is signed in.
    /// - Throws: the error that prevents reading the ledger.
    public func signedSubscriptions(inGroup group: String) throws -> [SignedSubscription] {
        try driver.signedSubscriptions(inGroup: group, on: number)
    }

    /// The purchase of the app itself, for this device.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedAppTransaction: SignedValue<AppTransactionPayload> {
        get throws { try driver.signedAppTransaction(on: number) }
    }
}

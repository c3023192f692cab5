import Foundation

// The store's transactions as JWS: a value is made when it is read, and signed when its JWS is first read. Read again, unchanged
// and within a second of the store's clock, it is the same value: the store keeps the last 2,048. The first reading takes in the
// ledger; from then on the store takes in what is new as it happens.
extension SandboxStore {
    /// The way in which the store signs transactions, renewals and app transactions wrongly; nil, as at the beginning,
    /// for rightly.
    ///
    /// It applies to what is read from now on, and makes an app take the path on which it distrusts a value. Receipts
    /// are signed as ever. A signer without certificates signs with a broken signature where the defect is in a
    /// certificate; Store Kit 2 reports the defect that is set.
    public var signatureDefect: SignatureDefect? {
        get { core.signing.withLock { $0.defect } }
        set { core.signing.withLock { $0.defect = newValue } }
    }

    /// The signer of the store's JWS: its ``signer`` if that signs them, else an ``HMACReceiptSigner`` of its own.
    ///
    /// Where libcrypto is installed, Store Kit 2 replaces an ``HMACReceiptSigner`` without a given key when it first reads
    /// the store: by an `AppStoreSigner` of the module StoreCrypto with an authority in memory.
    public var payloadSigner: any PayloadSigner { core.payloadSigner }

    /// Returns a purchase, renewal or restored purchase of any account, as a server is given it.
    ///
    /// It is there for good, finished or not, until it is deleted.
    ///
    /// - Parameter identifier: the transaction's identifier.
    /// - Returns: the transaction, as it stands now.
    /// - Throws: ``SandboxError/unknownTransaction(_:)``, also for one that failed or is not decided, and the ledger's
    ///   errors.
    public func signedTransaction(_ identifier: String) throws -> SignedValue<TransactionPayload> {
        try core.signedTransaction(identifier)
    }
}

extension SandboxAccount {
    /// The account's transactions, as a server is given them, oldest first: its purchases and their renewals, and what
    /// its family shares with it.
    ///
    /// Finished ones are included, as are refunded ones. Left out are restored ones, which repeat another, and purchases
    /// that only changed what a subscription renews as.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedTransactions: [SignedValue<TransactionPayload>] {
        get throws { try core.signedTransactions(of: number) }
    }

    /// Returns the account's subscription in a group, and after it those of the group that its family shares with it,
    /// as a server is given them.
    ///
    /// - Parameter group: the group's identifier.
    /// - Returns: the subscriptions, running or ended; none if the account never had any.
    /// - Throws: the error that prevents reading the ledger.
    public func signedSubscriptions(inGroup group: String) throws -> [SignedSubscription] {
        try core.signedSubscriptions(inGroup: group, of: number)
    }

    /// The account's purchase of the app itself, as a server is given it.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedAppTransaction: SignedValue<AppTransactionPayload> {
        get throws { try core.signedAppTransaction(of: number) }
    }
}

// Where the signer has a hash for devices, these payloads are tied to the device by its ``SandboxDevice/identifierForVendor``.
extension SandboxDevice {
    /// Returns a transaction of the account that is signed in, for this device.
    ///
    /// - Parameter identifier: the transaction's identifier.
    /// - Returns: the transaction, as it stands now.
    /// - Throws: as ``SandboxStore/signedTransaction(_:)``, also for a transaction of another account.
    public func signedTransaction(_ identifier: String) throws -> SignedValue<TransactionPayload> {
        try core.signedTransaction(identifier, on: number)
    }

    /// The transactions of the account that is signed in, for this device; see ``SandboxAccount/signedTransactions``.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedTransactions: [SignedValue<TransactionPayload>] {
        get throws { try core.signedTransactions(on: number) }
    }

    /// Returns the subscriptions of the account that is signed in, for this device.
    ///
    /// - Parameter group: the group's identifier.
    /// - Returns: as ``SandboxAccount/signedSubscriptions(inGroup:)``; none if no account is signed in.
    /// - Throws: the error that prevents reading the ledger.
    public func signedSubscriptions(inGroup group: String) throws -> [SignedSubscription] {
        try core.signedSubscriptions(inGroup: group, on: number)
    }

    /// The purchase of the app itself, for this device.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var signedAppTransaction: SignedValue<AppTransactionPayload> {
        get throws { try core.signedAppTransaction(on: number) }
    }
}

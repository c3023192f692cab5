// The rows of a state's tables.

extension SandboxState {
    /// An unfinished transaction, under its number.
    struct Row: Sendable {
        /// The transaction as its device sees it.
        var transaction: StoreTransaction
        /// The account, nil where it was ordered with none signed in.
        @Packed private(set) var account: AccountID?
        /// The device of the order; nil for a transaction without an order, which every device of the account receives.
        @Packed private(set) var device: DeviceID?
        /// The product, nil for an unknown one.
        @Packed private(set) var product: ProductIndex?
        /// The purchase that this is or restores; nil if the account's history does not keep it.
        @Packed var history: PurchaseIndex?
    }

    struct Account: Sendable {
        let name: String
        /// The products bought for good.
        var owned: Set<ProductIndex> = []
        var consumables = UnfinishedConsumables()
        var history = PurchaseHistory()
        /// The number of unfinished transactions that all of its devices receive.
        var unfinished = 0
    }

    struct Device: Sendable {
        let name: String
        /// The account that is signed in, nil for none.
        @Packed var account: AccountID?
        /// All accounts that were ever signed in.
        var accounts: [AccountID]
        var mayPay = true
        var taken = IdempotencyRecord()
        /// The number of unfinished transactions that were ordered here.
        var unfinished = 0
        /// The length of the ledger when the account signed in: earlier notices are repeated.
        var start = 0
        /// Whether there is a receipt, because of a purchase, a restore or a receipt refresh here.
        var hasReceipt = false
        /// The expiration and revocation that the receipt states since its last refresh.
        var receiptClaims = ReceiptClaims()
    }
}

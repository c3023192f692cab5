/// An account's purchases as the receipts of its devices list them, without consumables.
struct ReceiptList: Sendable {
    private(set) var entries: ReceiptEntries
    /// The number of purchases in the account's history that have been taken in.
    private var taken = 0
    /// The transaction that began the newest period of each subscription, by the subscription's first.
    private var periods: [TransactionNumber: TransactionNumber] = [:]
    private let lastChange: Int?

    /// Creates an empty list; ``takeIn(_:of:)`` fills it.
    init(of state: borrowing SandboxState, signer: any ReceiptSigner) {
        entries = ReceiptEntries(signer: signer)
        lastChange = state.lastPurchaseChange
    }

    /// Returns whether every purchase in the list is unchanged.
    func isCurrent(in state: borrowing SandboxState) -> Bool { lastChange == state.lastPurchaseChange }

    /// Adds the account's purchases since the last call.
    ///
    /// - Throws: the error that prevents encoding a purchase.
    mutating func takeIn(_ state: borrowing SandboxState, of account: AccountID) throws {
        while taken < state.accounts[account].history.count {
            let purchase = state.accounts[account].history[PurchaseIndex(rawValue: taken)]
            if let listed = state.listed(purchase, period(of: purchase)) { try entries.append(listed) }
            taken += 1
        }
    }

    /// Returns what ``SandboxState/period(of:by:)`` returns, without looking back.
    private mutating func period(of purchase: SandboxState.Purchase) -> TransactionNumber? {
        guard let original = purchase.term?.original else { return nil }
        if !purchase.continuesPeriod { periods[original] = TransactionNumber(purchase.identifier) }
        return periods[original]
    }
}

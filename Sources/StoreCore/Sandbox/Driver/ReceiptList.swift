/// An account's purchases as the receipts of its devices list them, without consumables.
struct ReceiptList: Sendable {
    private(set) var entries: ReceiptEntries
    /// The number of purchases in the account's history that have been taken in.
    private var taken = 0
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
            if let purchase = state.listed(state.accounts[account].history[taken]) { try entries.append(purchase) }
            taken += 1
        }
    }
}

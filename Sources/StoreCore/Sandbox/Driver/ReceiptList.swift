/// An account's purchases as the receipts of its devices list them, consumables apart.
struct ReceiptList: Sendable {
    private(set) var entries: ReceiptEntries
    /// How much of the account's history is in it.
    private var taken = 0
    private let lastChange: Int?

    /// An empty one; ``takeIn(_:of:)`` fills it.
    init(of state: borrowing SandboxState, signer: any ReceiptSigner) {
        entries = ReceiptEntries(signer: signer)
        lastChange = state.lastPurchaseChange
    }

    /// Whether all that is in it still is as it was.
    func isCurrent(in state: borrowing SandboxState) -> Bool { lastChange == state.lastPurchaseChange }

    /// Adds what the account has bought since.
    ///
    /// - Throws: what keeps a purchase from being encoded.
    mutating func takeIn(_ state: borrowing SandboxState, of account: Int) throws {
        while taken < state.accounts[account].history.count {
            if let purchase = state.listed(state.accounts[account].history[taken]) { try entries.append(purchase) }
            taken += 1
        }
    }
}

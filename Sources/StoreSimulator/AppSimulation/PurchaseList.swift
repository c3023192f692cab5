import StoreCore

/// The purchases of a product by the users of the devices.
///
/// The store's transactions are read after each step, and most of them are as they were: only what can change is looked at
/// again. No step deletes any.
struct PurchaseList {
    private(set) var purchases: [DeliveryTracker.Purchase] = []
    /// The index among the store's transactions of each purchase.
    private var indices: [Int] = []
    /// The indices of those that may become a purchase.
    private var undecided: [Int] = []
    /// The number of transactions that were looked at.
    private var count = 0

    /// Takes over what the store has sold of a product, and what has become of it.
    mutating func update(of product: String, from transactions: [SandboxTransaction]) {
        // In place: a copy of a transaction costs more than all that is asked of it.
        for (place, index) in indices.enumerated() {
            purchases[place].isFinished = transactions[index].isFinished
            purchases[place].isRefunded = transactions[index].cancellationDate != nil
        }
        let waiting = undecided
        undecided = []
        for index in waiting { add(index, of: transactions) }
        for index in count..<transactions.count
        where transactions[index].origin == .purchase && transactions[index].productIdentifier == product
            && transactions[index].account != AppStep.relativeName
        {
            add(index, of: transactions)
        }
        count = transactions.count
    }

    private mutating func add(_ index: Int, of transactions: [SandboxTransaction]) {
        switch transactions[index].state {
        case .failed, .restored: return
        case .purchasing, .deferred: return undecided.append(index)
        // What answers a purchase was sold before.
        case .purchased: if transactions[index].held != nil { return }
        }
        indices.append(index)
        purchases.append(
            DeliveryTracker.Purchase(
                id: transactions[index].id,
                place: purchases.count,
                quantity: transactions[index].quantity,
                isFinished: transactions[index].isFinished,
                isRefunded: transactions[index].cancellationDate != nil
            )
        )
    }
}

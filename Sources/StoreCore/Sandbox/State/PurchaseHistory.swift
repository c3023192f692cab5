/// The purchases of an account that are retained after they were finished, oldest first, with indices for lookup.
///
/// Looking up a purchase takes a binary search. Looking up all purchases of a subscription, a non-consumable or a free
/// subscription takes constant time.
struct PurchaseHistory: Sendable {
    private struct Entry: Sendable {
        var purchase: SandboxState.Purchase
        /// The highest number among this purchase and the earlier ones: an ascending sequence for a binary search.
        let highest: TransactionNumber
    }

    private struct Chain: Sendable {
        let original: TransactionNumber
        var purchases: [PurchaseIndex]
    }

    private var entries = SegmentedArray<Entry>()
    /// The purchases that were approved after one with a higher number.
    private var late: [TransactionNumber: PurchaseIndex] = [:]
    /// The purchases of each subscription.
    private var chains: [Chain] = []
    /// The index of each subscription in `chains`, by its first transaction.
    private var chainIndices: [TransactionNumber: Int] = [:]
    /// The subscription with the newest purchase, in most accounts the only one.
    private var newestChain = 0
    /// The account's own purchases of each product that is bought for good: the first one and its repetitions.
    private var boughtForGood: [ProductIndex: [PurchaseIndex]] = [:]

    var count: Int { entries.count }

    /// The indices of all purchases, oldest first.
    var indices: Range<PurchaseIndex> { 0..<PurchaseIndex(rawValue: count) }

    // To change whether a purchase is valid, use the methods below, which also update `boughtForGood`.
    subscript(index: PurchaseIndex) -> SandboxState.Purchase {
        @inline(__always) _read { yield entries[index.rawValue].purchase }
        @inline(__always) _modify { yield &entries[index.rawValue].purchase }
    }

    /// Returns the purchase of a transaction, or nil if the history does not contain it.
    func index(of number: TransactionNumber) -> PurchaseIndex? {
        if !late.isEmpty, let index = late[number] { return index }
        let place = (0..<count).partitionPoint { entries[$0].highest < number }
        return place < count && entries[place].highest == number ? PurchaseIndex(rawValue: place) : nil
    }

    /// Returns the purchases of the subscription that began with a transaction, oldest first.
    func chain(of original: TransactionNumber) -> [PurchaseIndex] {
        chainIndices[original].map { chains[$0].purchases } ?? []
    }

    /// Returns the account's own purchases of a non-consumable or a free subscription, oldest first.
    func ownPurchases(of product: ProductIndex) -> [PurchaseIndex] { boughtForGood[product] ?? [] }

    /// Adds the purchase of a transaction, and returns its index.
    @discardableResult
    mutating func append(_ purchase: SandboxState.Purchase, _ number: TransactionNumber?) -> PurchaseIndex {
        let index = indices.upperBound
        let last = count == 0 ? -1 : entries[count - 1].highest
        if let number, number < last, late[number] == nil { late[number] = index }
        if let term = purchase.term { append(index, toChainOf: term.original) }
        if purchase.isForGood, purchase.isOwn { boughtForGood[purchase.product, default: []].append(index) }
        entries.append(Entry(purchase: purchase, highest: max(number ?? last, last)))
        return index
    }

    private mutating func append(_ index: PurchaseIndex, toChainOf original: TransactionNumber) {
        if newestChain >= chains.count || chains[newestChain].original != original {
            newestChain = chainIndices[original] ?? chains.count
        }
        if newestChain == chains.count {
            chainIndices[original] = newestChain
            chains.append(Chain(original: original, purchases: []))
        }
        chains[newestChain].purchases.append(index)
    }

    /// Sets whether purchases are revoked; purchases that the history does not contain are skipped.
    mutating func setCancelled(_ isCancelled: Bool, _ numbers: [TransactionNumber]) {
        change(numbers) { $0.isCancelled = isCancelled }
    }

    /// Marks purchases as deleted.
    ///
    /// Returns whether the history contains any of the purchases.
    mutating func delete(_ numbers: [TransactionNumber]) -> Bool { change(numbers) { $0.isDeleted = true } }

    @discardableResult
    private mutating func change(
        _ numbers: [TransactionNumber],
        _ body: (inout SandboxState.Purchase) -> Void
    ) -> Bool {
        let indices = numbers.compactMap { index(of: $0) }
        for index in indices { body(&self[index]) }
        for (product, changed) in Dictionary(grouping: indices.filter { self[$0].isForGood }, by: { self[$0].product })
        {
            let all = Set(ownPurchases(of: product)).union(changed)
            boughtForGood[product] = all.filter { self[$0].isOwn }.sorted()
        }
        return !indices.isEmpty
    }
}

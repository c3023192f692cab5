/// The purchases of an account that are retained after they were finished, oldest first, with indices for lookup.
///
/// Looking up a purchase takes a binary search. Looking up all purchases of a subscription, a non-consumable or a free
/// subscription takes constant time.
struct PurchaseHistory: Sendable {
    private var purchases = SegmentedArray<SandboxState.Purchase>()
    /// For each purchase, the highest number among it and the earlier ones: an ascending sequence for a binary search.
    private var highest = SegmentedArray<TransactionNumber>()
    /// The purchases that were approved after one with a higher number.
    private var late: [TransactionNumber: PurchaseIndex] = [:]
    /// The purchases of each subscription, by its first transaction.
    private var chains: [TransactionNumber: [PurchaseIndex]] = [:]
    /// The account's own purchases of each non-consumable and free subscription: the first one and its repetitions.
    private var boughtForGood: [ProductIndex: [PurchaseIndex]] = [:]

    var count: Int { purchases.count }

    /// The indices of all purchases, oldest first.
    var indices: Range<PurchaseIndex> { 0..<PurchaseIndex(rawValue: count) }

    // To change whether a purchase is valid, use the methods below, which also update `boughtForGood`.
    subscript(index: PurchaseIndex) -> SandboxState.Purchase {
        @inline(__always) _read { yield purchases[index.rawValue] }
        @inline(__always) _modify { yield &purchases[index.rawValue] }
    }

    /// Returns the purchase of a transaction, or nil if the history does not contain it.
    func index(of number: TransactionNumber) -> PurchaseIndex? {
        if !late.isEmpty, let index = late[number] { return index }
        let place = (0..<count).partitionPoint { highest[$0] < number }
        return place < count && highest[place] == number ? PurchaseIndex(rawValue: place) : nil
    }

    /// Returns the purchases of the subscription that began with a transaction, oldest first.
    func chain(of original: TransactionNumber) -> [PurchaseIndex] { chains[original] ?? [] }

    /// Returns the account's own purchases of a non-consumable or a free subscription, oldest first.
    func ownPurchases(of product: ProductIndex) -> [PurchaseIndex] { boughtForGood[product] ?? [] }

    /// Adds a purchase, and returns its index.
    @discardableResult
    mutating func append(_ purchase: SandboxState.Purchase) -> PurchaseIndex {
        let index = indices.upperBound
        let last = count == 0 ? nil : highest[count - 1]
        let number = TransactionNumber(purchase.identifier)
        if let number, let last, number < last, late[number] == nil { late[number] = index }
        highest.append(max(number ?? last ?? -1, last ?? -1))
        if let term = purchase.term { chains[term.original, default: []].append(index) }
        if purchase.isForGood, purchase.isOwn { boughtForGood[purchase.product, default: []].append(index) }
        purchases.append(purchase)
        return index
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

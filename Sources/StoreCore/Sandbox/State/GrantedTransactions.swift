import Foundation

/// The granted transactions of all accounts, by number and in lists.
///
/// Purchases and finishes enter the lists lazily, when a list is next read or changed in another way. A caller that
/// only looks up transactions by number, as a purchase does, does not pay for updating lists.
struct GrantedTransactions: Sendable {
    /// A pending change of the lists.
    private enum Change {
        case granted(TransactionNumber, isUnfinished: Bool)
        case finished(TransactionNumber, isUsedUp: Bool)
    }

    private var table = SlotTable<GrantedTransaction>()
    /// The transactions of each account; restored ones only while they are unfinished.
    private var lists: [AccountID: AccountLists] = [:]
    private var waiting: [Change] = []
    private var lastSequence = 0
    private(set) var lastModification = 0

    subscript(number: TransactionNumber) -> GrantedTransaction? {
        @inline(__always) get { table[number] }
    }

    /// Reads a transaction in place; returns nil if there is none.
    @inline(__always)
    func look<Result>(_ number: TransactionNumber, _ body: (borrowing GrantedTransaction) -> Result) -> Result? {
        table.look(number.rawValue, body)
    }

    /// Adds a transaction after all others.
    mutating func insert(_ transaction: consuming GrantedTransaction, isUnfinished: Bool) {
        let number = transaction.number
        // In a damaged ledger, two records may assign the same number.
        guard table.look(number.rawValue, { _ in }) == nil else { return }
        lastSequence += 1
        transaction.sequence = lastSequence
        if transaction.restored == nil {
            lastModification += 1
            transaction.modification = lastModification
        }
        table.insert(transaction, at: number)
        waiting.append(.granted(number, isUnfinished: isUnfinished))
    }

    /// Removes a finished transaction from the unfinished ones and, if it is used up, from the history.
    mutating func finish(_ number: TransactionNumber, isUsedUp: Bool) {
        waiting.append(.finished(number, isUsedUp: isUsedUp))
    }

    /// Removes all transactions.
    ///
    /// Sequence numbers are not reused, so existing cursors stay valid.
    mutating func removeAll() { (table, lists, waiting) = (SlotTable(), [:], []) }

    mutating func remove(_ number: TransactionNumber) {
        guard let transaction = table[number] else { return }
        changeLists(of: transaction) { lists in
            lists.all.remove(sequence: transaction.sequence)
            lists.current.remove(sequence: transaction.sequence)
            lists.changed.remove(sequence: transaction.modification)
            lists.unfinished.remove(sequence: transaction.sequence)
        }
        table.remove(number)
    }

    /// Moves a changed transaction to the end of the list of changes.
    mutating func moveToEnd(_ transaction: GrantedTransaction) {
        lastModification += 1
        let place = lastModification
        changeLists(of: transaction) { lists in
            lists.changed.remove(sequence: transaction.modification)
            lists.changed.insert(transaction.number, sequence: place)
        }
        table.update(transaction.number) { $0.modification = place }
    }

    /// Changes the lists that a transaction is in.
    mutating func changeLists(of transaction: GrantedTransaction, _ body: (inout AccountLists.Lists) -> Void) {
        applyWaitingChanges()
        lists[transaction.account, default: AccountLists()].change(transaction.product, body)
    }

    /// Returns the lists of an account; nil if it never had a transaction.
    mutating func lists(of account: AccountID) -> AccountLists? {
        applyWaitingChanges()
        return lists[account]
    }

    private mutating func applyWaitingChanges() {
        if waiting.isEmpty { return }
        let changes = waiting
        waiting = []
        for change in changes {
            switch change {
            case .granted(let number, let isUnfinished):
                guard let transaction = table[number] else { continue }
                changeLists(of: transaction) { lists in
                    if isUnfinished { lists.unfinished.insert(number, sequence: transaction.sequence) }
                    if transaction.restored != nil { return }
                    lists.all.insert(number, sequence: transaction.sequence)
                    lists.current.insert(number, sequence: transaction.sequence)
                    lists.changed.insert(number, sequence: transaction.modification)
                }
            case .finished(let number, let isUsedUp):
                guard let transaction = table[number] else { continue }
                changeLists(of: transaction) { lists in
                    lists.unfinished.remove(sequence: transaction.sequence)
                    if isUsedUp { lists.current.remove(sequence: transaction.sequence) }
                }
            }
        }
    }
}

/// A transaction that granted something: a purchase, a renewal, a share in the family, or a restored purchase.
///
/// Failed and undecided orders are not included. Facts that may change later, such as a refund, are in the state.
struct GrantedTransaction: Sendable {
    let number: TransactionNumber
    /// The place of the transaction in the order in which all transactions were granted.
    var sequence = 0
    /// The place of the transaction's last change in the order of the changes of all granted transactions.
    var modification = 0
    let account: AccountID
    let product: ProductIndex
    let payment: StorePayment
    let date: Date
    /// The purchase in the account's history, that of the original for a restored transaction; nil for a consumable.
    let purchase: PurchaseIndex?
    /// The transaction that this one restores, nil if it restores none.
    var restored: TransactionNumber?
    /// The transaction that began the subscription's period, nil if the product is no subscription.
    var period: TransactionNumber?
    /// The storefront's country when the transaction was granted, nil if the country is unknown.
    let country: Storefronts.Country?
    /// The charge in thousandths; nil if the account did not buy the product, or if the charge does not fit 64 bits.
    var price: Int64?
    var isRenewal = false
}

/// An account's granted transactions in lists, all together and by product.
struct AccountLists: Sendable {
    struct Lists: Sendable {
        /// All transactions except restored ones.
        var all = GrantList()
        /// The history that the app receives: all transactions except finished consumables that were not refunded.
        var current = GrantList()
        /// All transactions except restored ones, in the order of their grant or last change.
        var changed = GrantList()
        /// The transactions that no app has finished, including restored ones.
        var unfinished = GrantList()
    }

    private(set) var all = Lists()
    private(set) var products: [ProductIndex: Lists] = [:]

    /// Changes the lists that a product's transactions are in.
    mutating func change(_ product: ProductIndex, _ body: (inout Lists) -> Void) {
        body(&all)
        body(&products[product, default: Lists()])
    }

    /// Returns the lists of a product, or those of all products for nil; nil if the product has no transactions.
    subscript(product: ProductIndex?) -> Lists? { product.map { products[$0] } ?? all }
}

/// A list of granted transactions in the order of their sequence numbers, with removal.
///
/// Appending, removing and finding a transaction take constant time, apart from a binary search.
struct GrantList: Sendable {
    private struct Entry: Sendable {
        let sequence: Int
        /// The number; negative once the transaction is removed.
        var number: TransactionNumber
        var isRemoved: Bool { number.rawValue < 0 }
    }

    private var entries: [Entry] = []
    private var removed = 0

    /// Inserts a transaction at the place of its sequence number: the end, unless the list contained it before.
    mutating func insert(_ number: TransactionNumber, sequence: Int) {
        let index = place(of: sequence)
        if index == entries.count {
            entries.append(Entry(sequence: sequence, number: number))
        } else if entries[index].sequence == sequence {
            if entries[index].isRemoved { removed -= 1 }
            entries[index].number = number
        } else {
            entries.insert(Entry(sequence: sequence, number: number), at: index)
        }
    }

    /// Inserts a transaction into a list that is in the order of the numbers.
    mutating func insert(_ number: TransactionNumber) { insert(number, sequence: number.rawValue) }

    /// Removes a transaction, if the list contains it.
    mutating func remove(sequence: Int) {
        let index = place(of: sequence)
        guard index < entries.count, entries[index].sequence == sequence, !entries[index].isRemoved else { return }
        entries[index].number = TransactionNumber(rawValue: -1)
        removed += 1
        if removed == entries.count {
            (entries, removed) = ([], 0)
        } else if removed > 32, removed > entries.count / 2 {
            entries.removeAll { $0.isRemoved }
            removed = 0
        }
    }

    var isEmpty: Bool { entries.count == removed }

    /// The transactions, oldest first.
    var oldestFirst: some Sequence<TransactionNumber> { entries.lazy.filter { !$0.isRemoved }.map(\.number) }

    /// Returns the transactions after a sequence number, oldest first.
    func oldestFirst(after sequence: Int) -> some Sequence<TransactionNumber> {
        entries[place(of: sequence + 1)...].lazy.filter { !$0.isRemoved }.map(\.number)
    }

    /// Returns the transactions before a sequence number, or all if it is nil, newest first.
    func newestFirst(before sequence: Int? = nil) -> some Sequence<TransactionNumber> {
        let end = sequence.map { place(of: $0) } ?? entries.count
        return entries[..<end].reversed().lazy.filter { !$0.isRemoved }.map(\.number)
    }

    /// Returns the index of the first entry at or after a sequence number.
    private func place(of sequence: Int) -> Int {
        if let last = entries.last, last.sequence < sequence { return entries.count }
        return entries.indices.partitionPoint { entries[$0].sequence < sequence }
    }
}

/// The granted transactions of all accounts, by number and in lists.
///
/// Lists take in what was bought and finished when a list is next read, or changed in another way. Whoever only asks for
/// transactions by their numbers, as a purchase does for its own, does not pay for lists.
struct GrantedTransactions: Sendable {
    /// A change that waits to be made to lists.
    private enum Change {
        case granted(TransactionNumber, isUnfinished: Bool)
        case finished(TransactionNumber, isUsedUp: Bool)
    }

    private var table = SlotTable<GrantedTransaction>()
    /// The transactions of each account, without restored ones unless they are unfinished.
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

    /// Adds a transaction behind all others.
    mutating func insert(_ transaction: consuming GrantedTransaction, isUnfinished: Bool) {
        let number = transaction.number
        // In a damaged ledger a number may come twice.
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

    /// Takes a finished transaction out of what is unfinished, and one that is used up out of the history.
    mutating func finish(_ number: TransactionNumber, isUsedUp: Bool) {
        waiting.append(.finished(number, isUsedUp: isUsedUp))
    }

    /// Removes all transactions.
    ///
    /// Places go on: a cursor from before means what it did.
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

    /// Moves a changed transaction to the end of what has changed.
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

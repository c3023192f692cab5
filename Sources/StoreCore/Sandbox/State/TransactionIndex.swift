import Foundation

/// An index of a store's granted transactions by number and by account, including those that the state no longer holds.
///
/// Like ``LedgerHistory``, the index is a fold over the ledger. It is built from the whole ledger when a transaction is
/// first read, and then applies each new record together with the store's state, which it borrows. A store whose
/// transactions are never read has no index.
///
/// A class, because copying the references of its lists for each read costs more than the read.
final class TransactionIndex: @unchecked Sendable {  // unchecked: guarded by the lock of the state that it borrows
    let bundleIdentifier: String
    /// The store's state after the applied records, which is only valid while it is borrowed.
    private(set) var state = SandboxState()
    private var transactions = GrantedTransactions()
    var lastModification: Int { transactions.lastModification }
    private var prices = Thousandths()
    /// The last country that the store sold for.
    private var country: Storefronts.Country?
    /// The revoked transactions of each account in order, each with its place among the revocations of all accounts.
    private var revoked: [AccountID: [(place: Int, number: TransactionNumber)]] = [:]
    private(set) var lastRevocation = 0
    /// The transaction that began the newest period of each subscription, by the subscription's first transaction.
    private var periods: [TransactionNumber: TransactionNumber] = [:]
    /// The transactions whose period was replaced by one of another product.
    private var replaced: Set<TransactionNumber> = []

    private var appTransactions: AppTransactionIdentifiers

    init(bundleIdentifier: String) {
        self.bundleIdentifier = bundleIdentifier
        appTransactions = AppTransactionIdentifiers(bundleIdentifier: bundleIdentifier)
    }

    /// Creates the index of a store from its records.
    ///
    /// - Throws: the error that `forEachRecord` throws.
    convenience init(
        bundleIdentifier: String,
        _ forEachRecord: (_ position: Int, _ body: (LedgerRecord) -> Void) throws -> Void
    ) rethrows {
        self.init(bundleIdentifier: bundleIdentifier)
        var state = SandboxState()
        try forEachRecord(0) { take($0, in: &state) }
    }

    /// Borrows the state for the duration of a call.
    func borrowing<R>(_ state: inout SandboxState, _ body: () throws -> R) rethrows -> R {
        swap(&self.state, &state)
        defer { swap(&self.state, &state) }
        return try body()
    }

    /// Applies the next event to the state and the index.
    func take(_ record: LedgerRecord, in state: inout SandboxState) {
        let isAdmitted = !state.isDamaged || state.admits(record.event)
        state.apply(record)
        guard isAdmitted else { return }
        switch record.event.effect {
        case .grants(let purchase): add(purchase.transaction, charge: purchase.charge, purchase.subscription, &state)
        case .renews(_, let number, let term, let charge):
            add(number, charge: charge, .begins(term), isRenewal: true, &state)
        case .restores(let numbers):
            for number in numbers { add(number, charge: nil, nil, &state) }
        case .shares(let sharing): add(sharing, record.date, state)
        case .refunds(let refund):
            revoke(refund.transactions, of: refund.account)
            for transaction in refund.transactions.compactMap({ transactions[$0] }) {
                transactions.changeLists(of: transaction) { lists in
                    lists.current.insert(transaction.number, sequence: transaction.sequence)
                }
            }
        case .unshares(let key, let numbers): revoke(numbers, of: key.member)
        case .reversesRefund(let reversal): reinstate(reversal, state)
        case .deletes(let numbers):
            for number in numbers { transactions.remove(number) }
        case .deletesAll:
            transactions.removeAll()
            (periods, replaced, revoked) = ([:], [], [:])
        case .finishes(let number): finish(number, state)
        case .changesEnd(let subscription): modifyNewestPeriod(of: subscription, state)
        case .changesDetails(let numbers):
            for number in numbers { modify(number) }
        case .setsToken(let original, let account):
            let history = state.accounts[account].history
            let chain = history.chain(of: original).compactMap { TransactionNumber(history[$0].identifier) }
            for number in chain.isEmpty ? [original] : chain { modify(number) }
        case .grantsNothing, .ends, .changesCatalog, .changesMembers, .changesSharing, .nothing: break
        }
    }

    private func reinstate(_ reversal: RefundReversal, _ state: SandboxState) {
        revoked[reversal.account]?.removeAll { reversal.transactions.contains($0.number) }
        for transaction in reversal.transactions.compactMap({ transactions[$0] }) {
            modify(transaction.number)
            let isFinished = state.transactions[transaction.number] == nil
            guard isFinished, state.isConsumable(transaction.product) else { continue }
            transactions.changeLists(of: transaction) { $0.current.remove(sequence: transaction.sequence) }
        }
    }

    private func modifyNewestPeriod(of subscription: SubscriptionIndex, _ state: SandboxState) {
        for (account, index) in state.purchasesOfNewestPeriod(of: subscription) {
            if let number = TransactionNumber(state.accounts[account].history[index].identifier) { modify(number) }
        }
    }

    /// Moves a changed transaction to the end of the list of changes.
    private func modify(_ number: TransactionNumber) {
        guard let transaction = transactions[number], transaction.restored == nil else { return }
        transactions.moveToEnd(transaction)
    }

    /// Adds one sale from its record alone; returns false for any other record, and for the sale of a subscription.
    ///
    /// The index is then valid for this transaction alone. The state must have the country of the sale.
    func add(alone record: LedgerRecord, _ state: SandboxState) -> Bool {
        guard case .grants(let purchase) = record.event.effect, purchase.subscription == nil else { return false }
        let transaction = GrantedTransaction(
            number: purchase.transaction,
            account: purchase.account,
            product: purchase.product,
            payment: purchase.payment,
            date: record.date,
            purchase: state.accounts[purchase.account].history.index(of: purchase.transaction),
            country: country(of: state),
            price: purchase.charge.flatMap { prices.thousandths(of: $0) }
        )
        insert(transaction, state)
        return true
    }

    /// Adds a transaction that the event has just created, or just decided.
    private func add(
        _ number: TransactionNumber,
        charge: Decimal?,
        _ change: SubscriptionChange?,
        isRenewal: Bool = false,
        _ state: inout SandboxState
    ) {
        guard let row = state.transactions[number], let account = row.account, let product = row.product else { return }
        var transaction = GrantedTransaction(
            number: number,
            account: account,
            product: product,
            payment: state.catalog.shared(row.transaction.payment, for: product),
            date: row.transaction.date,
            purchase: row.history,
            country: country(of: state),
            price: charge.flatMap { prices.thousandths(of: $0) },
            isRenewal: isRenewal
        )
        if row.transaction.state == .restored {
            transaction.restored = row.transaction.original.flatMap { TransactionNumber($0.identifier) }
        }
        switch change {
        case .begins(let term, _): transaction.period = begin(term, with: number, of: product, state)
        case .renewsAs(_, let term, _, _): transaction.period = periods[term.original]
        case nil: break
        }
        insert(transaction, state)
    }

    /// Adds a member's share, which has no unfinished transaction if only a restore delivers it.
    private func add(_ sharing: FamilyChange.Sharing, _ date: Date, _ state: SandboxState) {
        let (member, number) = (sharing.key.member, sharing.transaction)
        guard let index = state.accounts[member].history.indices.last,
            let itself = state.accounts[member].history[index].asOriginal.original
        else { return }
        var transaction = GrantedTransaction(
            number: number,
            account: member,
            product: sharing.product,
            payment: itself.payment,
            date: date,
            purchase: index,
            country: country(of: state)
        )
        if let term = sharing.term, case .subscription(let original) = sharing.key.item {
            // The member's first transaction is no renewal, whatever the purchaser's period is.
            let isRenewal = periods[original].flatMap { transactions[$0]?.isRenewal } ?? false
            transaction.isRenewal = isRenewal && term.original != number
            transaction.period = begin(term, with: number, of: sharing.product, state)
        }
        insert(transaction, state)
    }

    /// Removes a transaction from the unfinished ones and, if it is a consumable without a refund, from the history.
    private func finish(_ number: TransactionNumber, _ state: SandboxState) {
        guard let product = transactions.look(number, { $0.product }) else { return }
        let isUsedUp = state.isConsumable(product) && state.revocations.cancellation(of: number) == nil
        transactions.finish(number, isUsedUp: isUsedUp)
    }

    private func insert(_ transaction: consuming GrantedTransaction, _ state: SandboxState) {
        appTransactions.cache(transaction.account, in: state.accounts)
        // A share that only a restore delivers is no unfinished transaction.
        let isUnfinished = state.transactions.look(transaction.number.rawValue, { _ in }) != nil
        transactions.insert(transaction, isUnfinished: isUnfinished)
    }

    private func revoke(_ numbers: [TransactionNumber], of account: AccountID) {
        for number in numbers {
            lastRevocation += 1
            revoked[account, default: []].append((lastRevocation, number))
            modify(number)
        }
    }

    /// Returns the country that the store sells for.
    private func country(of state: SandboxState) -> Storefronts.Country? {
        let code = state.catalog.countryCode
        if country?.storefront.countryCode != code { country = Storefronts.country(code) }
        return country
    }

    /// Begins a subscription's period, and returns its transaction.
    private func begin(
        _ term: SubscriptionTerm,
        with number: TransactionNumber,
        of product: ProductIndex,
        _ state: SandboxState
    ) -> TransactionNumber {
        if let last = periods[term.original], let other = transactions[last],
            // A modification by a request replaces a period by one of the same generic product.
            other.product != product
                || (state.server.hasAdvancedCommerce && state.server.advancedCommerce[number] != nil),
            let purchase = state.purchase(of: other), !purchase.isCancelled,
            let end = purchase.term?.end, end > term.start
        {
            replaced.insert(last)
            // The repetitions of the replaced purchase change with it.
            let list = transactions.lists(of: other.account)?.products[other.product]?.all ?? GrantList()
            let repeated = list.newestFirst().prefix { (transactions[$0]?.sequence ?? 0) >= other.sequence }
            for number in Array(repeated).reversed() where transactions[number]?.period == last { modify(number) }
        }
        periods[term.original] = number
        return number
    }
}

// MARK: - Reads

extension TransactionIndex {
    /// Returns the transaction of a number; nil for a number that granted nothing, or was deleted.
    subscript(number: TransactionNumber) -> GrantedTransaction? { transactions[number] }

    /// Returns the transaction of an identifier; nil if it granted nothing, or was deleted.
    subscript(identifier: String) -> GrantedTransaction? { TransactionNumber(identifier).flatMap { transactions[$0] } }

    /// Returns an account's identifier in the app, derived from names so that it is the same in every process.
    func appTransactionIdentifier(of account: AccountID) -> String {
        appTransactions.identifier(of: account, in: state.accounts)
    }

    /// Returns the account that has an identifier in the app; nil if there is none.
    func account(ofAppTransaction identifier: String) -> AccountID? {
        appTransactions.account(with: identifier, in: state.accounts)
    }

    /// Returns an account's transactions, without restored ones, oldest first.
    func transactions(of account: AccountID) -> [GrantedTransaction] {
        transactions.lists(of: account)?.all.all.oldestFirst.compactMap { transactions[$0] } ?? []
    }

    /// Returns an account's history, newest first.
    ///
    /// Nil for the product selects all products; a complete history includes finished consumables that were not
    /// refunded. The result begins with the last transaction before a sequence number, or with the newest.
    func history(
        of account: AccountID,
        _ product: ProductIndex? = nil,
        isComplete: Bool = false,
        before sequence: Int? = nil
    ) -> some Sequence<GrantedTransaction> {
        let lists = transactions.lists(of: account)?[product]
        let list = (isComplete ? lists?.all : lists?.current) ?? GrantList()
        return list.newestFirst(before: sequence).lazy.compactMap { self[$0] }
    }

    /// Returns an account's unfinished transactions on every device, oldest first, after a sequence number.
    func unfinished(
        of account: AccountID,
        _ product: ProductIndex? = nil,
        after sequence: Int
    ) -> some Sequence<GrantedTransaction> {
        let list = transactions.lists(of: account)?[product]?.unfinished ?? GrantList()
        return list.oldestFirst(after: sequence).lazy.compactMap { self[$0] }
    }

    /// Returns an account's transactions after a place, in ascending or descending order of their grant or last change.
    ///
    /// Nil for the products selects all. If the list is not complete, it contains finished consumables only if they are
    /// revoked. The cost grows with the number of products times the limit, and with the number of listed consumables.
    func changes(
        of account: AccountID,
        _ products: [ProductIndex]? = nil,
        isComplete: Bool = true,
        isDescending: Bool = false,
        from place: Int? = nil,
        limit: Int,
        where isMeant: (GrantedTransaction) -> Bool
    ) -> [GrantedTransaction] {
        let own = transactions.lists(of: account)
        var products = isComplete ? products : products ?? self.products(of: account)
        var found: [GrantedTransaction] = []
        if !isComplete {
            let consumables = products?.filter(state.isConsumable) ?? []
            products?.removeAll(where: state.isConsumable)
            for list in consumables.compactMap({ own?.products[$0]?.current }) {
                found += list.oldestFirst.lazy.compactMap { self.transactions[$0] }.filter { transaction in
                    let isAfterPlace =
                        isDescending ? transaction.modification < place ?? .max : transaction.modification > place ?? 0
                    return isAfterPlace && isMeant(transaction)
                }
            }
        }
        let meant =
            products.map { $0.map { own?.products[$0]?.changed ?? GrantList() } }
            ?? [own?.all.changed ?? GrantList()]
        for list in meant {
            if isDescending {
                let all = list.newestFirst(before: place).lazy.compactMap { self.transactions[$0] }
                found += all.filter(isMeant).prefix(limit)
            } else {
                let all = list.oldestFirst(after: place ?? 0).lazy.compactMap { self.transactions[$0] }
                found += all.filter(isMeant).prefix(limit)
            }
        }
        if meant.count > 1 || !isComplete { found.sort { ($0.modification < $1.modification) != isDescending } }
        return Array(found.prefix(limit))
    }

    /// Returns an account's revoked transactions after a place, and the place at which the page ends.
    ///
    /// A place is valid for every account.
    func revoked(of account: AccountID, after place: Int, limit: Int) -> ([GrantedTransaction], end: Int) {
        let all = revoked[account] ?? []
        let following = all[all.indices.partitionPoint { all[$0].place <= place }...]
        let page = following.prefix(limit)
        let end = page.count < following.count ? page.last?.place : nil
        return (page.compactMap { self[$0.number] }, end ?? max(place, lastRevocation))
    }

    /// Returns a page of an account's own refunded transactions, after a place in the order of revocations.
    ///
    /// - Returns: the transactions, the place after which the next page begins, and whether there are more.
    func refunded(of account: AccountID, after place: Int, limit: Int) -> (
        [GrantedTransaction], end: Int, hasMore: Bool
    ) {
        let all = revoked[account] ?? []
        var found: [GrantedTransaction] = []
        var end = place
        for (place, number) in all[all.indices.partitionPoint { all[$0].place <= place }...] {
            guard let transaction = self[number], purchase(of: transaction)?.isShared != true else { continue }
            if found.count == limit { return (found, end, true) }
            found.append(transaction)
            end = place
        }
        return (found, lastRevocation, false)
    }

    /// Returns the products of an account's transactions, in the order of the catalog.
    func products(of account: AccountID) -> [ProductIndex] {
        transactions.lists(of: account)?.products.keys.sorted { $0.rawValue < $1.rawValue } ?? []
    }

    /// Returns the purchase of a transaction, nil for a consumable.
    func purchase(of transaction: GrantedTransaction) -> SandboxState.Purchase? { state.purchase(of: transaction) }

    /// Returns the transaction that a restored one restores, nil for any other.
    func restored(by transaction: GrantedTransaction) -> GrantedTransaction? {
        transaction.restored.flatMap { transactions[$0] }
    }

    /// Returns the transaction that a restored one restores; any other transaction is its own original.
    func original(of transaction: GrantedTransaction) -> GrantedTransaction { restored(by: transaction) ?? transaction }

    /// Whether a transaction's period was replaced, before its end, by a period of another product.
    func isReplaced(_ transaction: GrantedTransaction) -> Bool { transaction.period.map(replaced.contains) ?? false }

    /// Returns the transaction that began the newest period of an account's subscription.
    ///
    /// `original` is the first transaction of the subscription.
    func newestPeriod(of original: TransactionNumber, by account: AccountID) -> GrantedTransaction? {
        if let newest = periods[original].flatMap({ transactions[$0] }) { return newest }
        // The newest period was deleted, and an earlier one remains.
        return period(of: original, by: account) { _ in true }
    }

    /// Returns the newest transaction of an account's subscription that began a period and that `isMeant` accepts.
    func period(
        of original: TransactionNumber,
        by account: AccountID,
        where isMeant: (GrantedTransaction) -> Bool
    ) -> GrantedTransaction? {
        let history = state.accounts[account].history
        for index in history.chain(of: original).reversed()
        where !history[index].isDeferredChange && !history[index].isDeleted {
            if let transaction = self[history[index].identifier], isMeant(transaction) { return transaction }
        }
        return nil
    }
}

extension SandboxState {
    /// Returns the purchase of a transaction, nil for a consumable.
    fileprivate func purchase(of transaction: GrantedTransaction) -> Purchase? {
        transaction.purchase.map { accounts[transaction.account].history[$0] }
    }

    fileprivate func isConsumable(_ product: ProductIndex) -> Bool { catalog.kind(of: product) == .consumable }
}

/// The app transaction identifiers of accounts: each names an account's purchase of the app itself.
struct AppTransactionIdentifiers {
    private let bundleIdentifier: String
    /// The identifiers computed so far, nil for the accounts without one.
    private var known = Table<AccountID, String?>()
    /// The accounts before ``firstUnlisted`` by their identifiers, filled at a lookup.
    private var listed: [String: AccountID] = [:]
    private var firstUnlisted: AccountID = 0

    init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

    /// Computes and caches the identifier of an account, for frequent use from then on.
    mutating func cache(_ account: AccountID, in accounts: Table<AccountID, SandboxState.Account>) {
        while known.endIndex <= account { known.append(nil) }
        if known[account] == nil { known[account] = identifier(of: account, in: accounts) }
    }

    /// Returns an account's identifier, the same in every process.
    ///
    /// It is a hash of the app's bundle identifier and the account's name.
    func identifier(of account: AccountID, in accounts: Table<AccountID, SandboxState.Account>) -> String {
        if account < known.endIndex, let known = known[account] { return known }
        let name = "account \(bundleIdentifier.utf8.count) \(bundleIdentifier)\(accounts[account].name)"
        let number = SHA256.digest(of: Data(name.utf8)).prefix(8).reduce(0) { $0 << 8 | UInt64($1) }
        // At most 18 digits, which fit every decoder's numbers.
        return String(number % 1_000_000_000_000_000_000)
    }

    /// Returns the account that has an identifier; nil if there is none.
    mutating func account(with identifier: String, in accounts: Table<AccountID, SandboxState.Account>) -> AccountID? {
        for account in accounts[firstUnlisted...].indices {
            let own = self.identifier(of: account, in: accounts)
            if listed[own] == nil { listed[own] = account }
        }
        firstUnlisted = accounts.endIndex
        return listed[identifier]
    }
}

/// Amounts in thousandths, as in signed payloads.
///
/// The last amount is cached: a store charges few different amounts, and a decimal division costs more than a purchase.
struct Thousandths: Sendable {
    private var last: (amount: Decimal, thousandths: Int64?) = (0, 0)

    /// Returns an amount in thousandths, rounded to a whole number; nil if that does not fit 64 bits.
    mutating func thousandths(of amount: Decimal) -> Int64? {
        if amount != last.amount { last = (amount, Self.exact(amount)) }
        return last.thousandths
    }

    /// Returns an amount in thousandths like ``thousandths(of:)``, without the cache.
    static func exact(_ amount: Decimal) -> Int64? {
        var (exact, rounded) = (amount * 1000, Decimal())
        NSDecimalRound(&rounded, &exact, 0, .plain)
        return Int64(rounded.description)
    }
}

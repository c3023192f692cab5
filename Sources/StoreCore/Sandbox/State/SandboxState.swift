import Foundation

/// The state of a sandbox store, the fold of its events.
struct SandboxState: Sendable {
    var catalog = Catalog()
    /// The number of events applied.
    private(set) var position = 0
    var transactions = SlotTable<Row>()
    var subscriptions = Subscriptions()
    var offers = Offers()
    var accounts = Table<AccountID, Account>([Account(name: "account")])
    var devices = Table<DeviceID, Device>([Device(name: "device", account: 0, accounts: [0])])
    private var accountNumbers: [String: AccountID] = ["account": 0]
    private var deviceNumbers: [String: DeviceID] = ["device": 0]
    var nextTransaction: TransactionNumber = 1
    /// The undecided orders, each with whether the authorizer has postponed the decision.
    var waiting = SlotTable<Bool>()
    var operatorState = OperatorState()
    var billing = BillingState()
    var revocations = Revocations()
    var families = Families()
    var server = ServerState()
    private(set) var places = TransactionPlaces()
    /// The position at the last change to an existing purchase, nil for never.
    private(set) var lastPurchaseChange: Int?
    /// Whether a record could not be read; later records may then refer to missing objects.
    private(set) var isDamaged = false
}

// MARK: - In snapshots

extension SandboxState {
    /// Encodes all properties.
    ///
    /// A new property must be added here and in ``init(unpacking:)``.
    func pack(into pack: inout BinaryEncoder) throws {
        pack.add(position)
        pack.add(nextTransaction)
        pack.add(lastPurchaseChange ?? -1)
        isDamaged.pack(into: &pack)
        catalog.pack(into: &pack)
        // The numbers of accounts and devices by their names follow from the rows.
        pack.add(accounts.packed)
        pack.add(devices.packed)
        pack.add(transactions.packed)
        pack.add(waiting.packed)
        places.pack(into: &pack)
        try pack.add(subscriptions)
        try pack.add(offers)
        try pack.add(operatorState)
        try pack.add(billing)
        try pack.add(revocations)
        try pack.add(families)
        try pack.add(server)
    }

    /// Decodes all remaining bytes, which ``pack(into:)`` has added.
    init(unpacking pack: inout BinaryDecoder) throws {
        position = try pack.int()
        nextTransaction = try pack.number()
        let change = try pack.int()
        lastPurchaseChange = change < 0 ? nil : change
        isDamaged = try Bool(unpacking: &pack)
        catalog = try Catalog(unpacking: &pack)
        var rows = try (pack.part(), pack.part(), pack.part(), pack.part())
        accounts = try Table(unpacking: &rows.0)
        devices = try Table(unpacking: &rows.1)
        transactions = try SlotTable(unpacking: &rows.2)
        waiting = try SlotTable(unpacking: &rows.3)
        places = try TransactionPlaces(unpacking: &pack)
        accountNumbers = accounts.numbers { $0.name }
        deviceNumbers = devices.numbers { $0.name }
        subscriptions = try pack.statePart()
        offers = try pack.statePart()
        operatorState = try pack.statePart()
        billing = try pack.statePart()
        revocations = try pack.statePart()
        families = try pack.statePart()
        server = try pack.statePart()
        guard pack.isAtEnd else { throw BinaryDecoder.Trouble() }
    }
}

extension Table {
    /// Returns the row numbers by name; for equal names, the number of the last row.
    fileprivate func numbers(by name: (borrowing Row) -> String) -> [String: Number] {
        var numbers = [String: Number](minimumCapacity: count)
        for number in indices { numbers[name(self[number])] = number }
        return numbers
    }
}

// MARK: - The fold

extension SandboxState {
    /// Applies the next event.
    ///
    /// An event in the ledger has happened, so no rule refuses it. Only an event that refers to lost objects is
    /// skipped.
    mutating func apply(_ record: LedgerRecord) {
        position += 1
        if isDamaged, !admits(record.event) {
            // The numbers that the record assigned must not be assigned again.
            nextTransaction = nextTransaction.advanced(by: Self.numbersLost)
            return
        }
        switch record.event {
        case .unreadable:
            isDamaged = true
            nextTransaction = nextTransaction.advanced(by: Self.numbersLost)
        case .registered(let product):
            catalog.register(product)
            purchasesChange()
        case .availability(let identifier, let availability):
            if let index = catalog.index(of: identifier) { catalog.setAvailability(availability, of: index) }
        case .accountAdded(let name):
            accountNumbers[name] = accounts.endIndex
            accounts.append(Account(name: name))
        case .deviceAdded(let name, let account):
            deviceNumbers[name] = devices.endIndex
            devices.append(Device(name: name, account: account, accounts: account.map { [$0] } ?? []))
        case .signedIn(let device, let account): signIn(device, account)
        case .paymentsAllowed(let device, let isAllowed): devices[device].mayPay = isAllowed
        case .ordered(let order):
            open(order, .purchasing, record.date)
            waiting.insert(false, at: order.transaction)
        case .asked(let number): waiting.update(number) { $0 = true }
        case .refused(let order, let failure): open(order, .failed, record.date, failure: failure)
        case .sold(let order):
            catalog.lastSold = order.product
            let history = own(order, record.date)
            open(order, .purchased, record.date, history: history)
        case .deferred(let number): transactions.update(number) { $0.transaction = $0.transaction.becoming(.deferred) }
        case .approved(let order):
            waiting.remove(order.transaction)
            if isDamaged, transactions[order.transaction] == nil { reopen(order, record.date) }
            guard let date = transactions[order.transaction]?.transaction.date else { return }
            let history = own(order, date)
            transactions.update(order.transaction) { row in
                row.transaction = row.transaction.becoming(.purchased)
                row.history = history
            }
        case .declined(let number, let failure): decline(number, failure)
        case .held(let order, let number): answer(order, by: number, record.date)
        case .finished(let finish):
            take(finish.command, finish.device)
            if let number = finish.transaction { self.finish(number, on: finish.device) }
        case .restored(let restoration): restore(restoration, record.date)
        case .restoreEnded(let device, let command):
            take(command, device)
            devices[device].hasReceipt = true
        case .restoreRefused(let device, let command, _): take(command, device)
        case .receiptRefreshed(let device, let properties):
            devices[device].hasReceipt = true
            devices[device].receiptClaims = ReceiptClaims(properties, at: record.date)
        case .renewed(let subscription, let number, let term, let charge):
            renew(subscription, number, term, charge, record.date)
        case .ended(let subscription, let reason):
            setGraceEndForFamily(nil, of: subscription)
            subscriptions.end(subscription, reason)
        case .autoRenewal(let subscription, let isOn): subscriptions.setWillRenew(isOn, of: subscription)
        case .redeemed(let redemption): apply(redemption, record.date)
        case .operator(let change): apply(change, record.date)
        case .billing(let change): apply(change)
        }
    }

    mutating func numberTransactions(from number: TransactionNumber) { nextTransaction = number }

    private mutating func take(_ command: OrderID, _ device: DeviceID) { devices[device].taken.take(command) }

    private mutating func signIn(_ device: DeviceID, _ account: AccountID?) {
        devices[device].account = account
        if let account, !devices[device].accounts.contains(account) { devices[device].accounts.append(account) }
        devices[device].start = position
    }

    mutating func decline(_ number: TransactionNumber, _ failure: StoreFailure) {
        waiting.remove(number)
        transactions.update(number) { $0.transaction = $0.transaction.becoming(.failed, failure: failure) }
    }

    mutating func open(
        _ order: StoreEvent.Order,
        _ state: StoreTransaction.State,
        _ date: Date,
        history: PurchaseIndex? = nil,
        failure: StoreFailure? = nil,
        held: String? = nil
    ) {
        take(order.command, order.device)
        if order.payment.hasSpecialTerms { offers.useNonce(of: order.payment) }
        let transaction = StoreTransaction(
            identifier: order.transaction.identifier,
            order: order.command,
            payment: order.payment,
            state: state,
            date: date,
            failure: failure,
            heldIdentifier: held
        )
        let row = Row(
            transaction: transaction,
            account: order.account,
            device: order.device,
            product: order.product,
            history: history
        )
        insert(row, order.transaction)
    }

    mutating func insert(_ row: consuming Row, _ number: TransactionNumber) {
        countUnfinished(row, by: 1)
        transactions.insert(row, at: number)
        places.add(number, at: position - 1)
        nextTransaction = number.advanced(by: 1)
    }

    /// Drops the ledger positions of all existing transactions, since their records alone no longer show their state.
    mutating func forgetPlaces() { places.forget(before: nextTransaction) }

    /// Changes the count of unfinished transactions on a row's device or, if it has none, of its account.
    @inline(__always)
    mutating func countUnfinished(_ row: borrowing Row, by change: Int) {
        if let device = row.device {
            devices[device].unfinished += change
        } else if let account = row.account {
            accounts[account].unfinished += change
        }
    }

    /// Adds a sold order to the account, and to its history unless the product is a consumable.
    ///
    /// Returns the purchase, or nil if the history does not contain it.
    private mutating func own(_ order: StoreEvent.Order, _ date: Date) -> PurchaseIndex? {
        devices[order.device].hasReceipt = true
        guard let product = order.product, let account = order.account else { return nil }
        return own(order.payment, product, order.transaction, order.charge, order.subscription, account, date)
    }

    private mutating func own(
        _ payment: StorePayment,
        _ product: ProductIndex,
        _ transaction: TransactionNumber,
        _ charge: Decimal?,
        _ subscription: SubscriptionChange?,
        _ account: AccountID,
        _ date: Date
    ) -> PurchaseIndex? {
        redeemCode(of: payment, account, as: transaction)
        let isCharged = charge?.isZero == false
        if isCharged { accounts[account].pay(at: date) }
        let kind = catalog.kind(of: product)
        if kind == .consumable {
            accounts[account].consumables.insert(transaction, of: product)
            takeRequest(of: payment, as: transaction, nil, after: nil)
            return nil
        }
        let original = StoreTransaction.Original(
            identifier: transaction.identifier,
            date: date,
            payment: catalog.shared(payment, for: product)
        )
        let details = StoreTransaction.Details(failure: nil, original: original, receipt: nil)
        switch kind {
        case .consumable, .nonRenewing: break
        case .nonConsumable, .freeSubscription: accounts[account].owned.insert(product)
        case .autoRenewable, .subscriptionSuite, .subscriptionBundle:
            if let change = subscription {
                apply(change, for: payment, with: details, account, as: transaction)
            }
        }
        return remember(
            Purchase(
                source: .details(details),
                product: product,
                term: subscription?.term,
                isDeferredChange: subscription?.isDeferred ?? false,
                continuesPeriod: subscription?.continuesPeriod ?? false,
                isForGood: kind == .nonConsumable || kind == .freeSubscription,
                isCharged: isCharged
            ),
            transaction,
            account
        )
    }

    /// Delivers a purchase that no queue ordered to one device, or to all devices of the account.
    mutating func deliver(_ purchase: UnorderedPurchase, _ date: Date) {
        let account = purchase.account
        for device in devices.indices
        where purchase.device.map({ $0 == device }) ?? (devices[device].account == account) {
            devices[device].hasReceipt = true
        }
        let (payment, product, number) = (purchase.payment, purchase.product, purchase.transaction)
        if payment.hasSpecialTerms { offers.useNonce(of: payment) }
        if let held = purchase.held {
            // Nothing is sold, and so nothing is delivered.
            if let change = purchase.subscription { continuePeriod(change, for: payment, held, account, date) }
            return nextTransaction = number.advanced(by: 1)
        }
        let history = own(payment, product, number, purchase.charge, purchase.subscription, account, date)
        let transaction = StoreTransaction(
            identifier: number.identifier,
            payment: payment,
            state: .purchased,
            date: date
        )
        let row = Row(
            transaction: transaction,
            account: account,
            device: purchase.device,
            product: product,
            history: history
        )
        insert(row, number)
    }

    /// Completes an order with an existing transaction of its account, which does not change.
    private mutating func answer(_ order: StoreEvent.Order, by held: TransactionNumber, _ date: Date) {
        devices[order.device].hasReceipt = true
        if let change = order.subscription, let account = order.account {
            continuePeriod(change, for: order.payment, held, account, date)
        }
        // Store Kit 1 receives a repeated purchase under a new number, which is in no receipt.
        let isNamed = order.payment.isStoreKit2 || order.subscription.map(\.isDeferred) ?? true
        let identifier = isNamed ? held.identifier : order.transaction.identifier
        waiting.remove(order.transaction)
        if order.transaction >= nextTransaction { return open(order, .purchased, date, held: identifier) }
        if isDamaged, transactions[order.transaction] == nil { reopen(order, date) }
        transactions.update(order.transaction) { row in
            row.transaction = row.transaction.becoming(.purchased, held: identifier)
        }
    }

    /// Changes how a running subscription renews, for an order or a purchase that creates no transaction.
    ///
    /// The redeemed code and the offer are recorded with the existing transaction, and removed when it is deleted.
    private mutating func continuePeriod(
        _ change: SubscriptionChange,
        for payment: StorePayment,
        _ held: TransactionNumber,
        _ account: AccountID,
        _ date: Date
    ) {
        let original = StoreTransaction.Original(identifier: held.identifier, date: date, payment: payment)
        let details = StoreTransaction.Details(failure: nil, original: original, receipt: nil)
        redeemCode(of: payment, account, as: held)
        apply(change, for: payment, with: details, account, as: held)
    }

    /// Applies the effect of a purchase on a subscription, and that of its request.
    private mutating func apply(
        _ change: SubscriptionChange,
        for payment: StorePayment,
        with purchase: StoreTransaction.Details,
        _ account: AccountID,
        as transaction: TransactionNumber
    ) {
        let isRequested = payment.requestData != nil
        guard isRequested || server.hasAdvancedCommerce else {
            return apply(change, with: purchase, account, isSeparate: false)
        }
        let last = subscriptions.index(ofOriginal: change.term.original).map { subscriptions[$0].term }
        apply(change, with: purchase, account, isSeparate: isRequested)
        takeRequest(of: payment, as: transaction, change, after: last)
    }

    private mutating func apply(
        _ change: SubscriptionChange,
        with purchase: StoreTransaction.Details,
        _ account: AccountID,
        isSeparate: Bool
    ) {
        switch change {
        case .begins(let term, let waiting):
            guard let group = catalog.group(of: term.product) else { return }
            subscriptions.begin(
                term,
                then: waiting,
                group: group,
                account: account,
                purchase: purchase,
                isSeparate: isSeparate
            )
        case .renewsAs(let product, let term, let offer, let plan):
            guard let index = subscriptions.index(ofOriginal: term.original) else { return }
            subscriptions.setRenewsAs(product, plan, under: offer, of: index, purchase: purchase)
        }
    }

    /// Records that existing purchases changed or were removed, so that derived values are recomputed.
    mutating func purchasesChange() { lastPurchaseChange = position }

    mutating func remember(
        _ purchase: Purchase,
        _ number: TransactionNumber,
        _ account: AccountID
    ) -> PurchaseIndex {
        accounts[account].history.append(purchase, number)
    }

    private mutating func renew(
        _ subscription: SubscriptionIndex,
        _ number: TransactionNumber,
        _ term: SubscriptionTerm,
        _ charge: Decimal,
        _ date: Date
    ) {
        subscriptions.renew(subscription, term)
        let isPaid = !charge.isZero
        if server.hasAdvancedCommerce { renewContent(of: subscription, as: number, isPaid: isPaid) }
        let account = subscriptions[subscription].account
        let transaction = StoreTransaction(
            identifier: number.identifier,
            order: nil,
            payment: catalog.payment(
                for: term.product,
                applicationUsername: subscriptions[subscription].applicationUsername
            ),
            state: .purchased,
            date: date,
            details: subscriptions[subscription].original
        )
        var purchase = Purchase(source: .renewal(transaction), product: term.product, term: term)
        purchase.isCharged = isPaid
        if isPaid { accounts[account].pay(at: date) }
        let row = Row(
            transaction: transaction,
            account: account,
            device: nil,
            product: term.product,
            history: remember(purchase, number, account)
        )
        insert(row, number)
    }

    private mutating func finish(_ number: TransactionNumber, on device: DeviceID) {
        if finish(number) { devices[device].hasReceipt = true }
    }

    /// Finishes a transaction, and returns whether an account's history contains its purchase.
    @inline(__always)
    @discardableResult
    mutating func finish(_ number: TransactionNumber) -> Bool {
        guard let row = transactions.remove(number) else { return false }
        countUnfinished(row, by: -1)
        forgetConsumable(row, number)
        guard row.transaction.state == .purchased, let account = row.account, let index = row.history else {
            return false
        }
        accounts[account].history[index].isFinished = true
        return true
    }

    private mutating func restore(_ restoration: StoreEvent.Restoration, _ date: Date) {
        let account = restoration.account
        var number = restoration.transactions.lowerBound
        for index in restoration.history where isRestored(index, by: restoration.applicationUsername, account) {
            let transaction = StoreTransaction(
                identifier: number.identifier,
                order: nil,
                payment: nil,
                state: .restored,
                date: date,
                details: accounts[account].history[index].asOriginal
            )
            let row = Row(
                transaction: transaction,
                account: account,
                device: restoration.device,
                product: accounts[account].history[index].product,
                history: index
            )
            insert(row, number)
            number = number.advanced(by: 1)
        }
    }

    func account(named name: String) -> AccountID? { accountNumbers[name] }
    func device(named name: String) -> DeviceID? { deviceNumbers[name] }
}

extension SandboxState {
    /// Returns the events that register products and set the country, without those that would change nothing.
    func registration(of products: [SandboxProduct], for countryCode: String?, at now: Date) -> [LedgerRecord] {
        var events: [LedgerRecord] = []
        for product in products where catalog.product(product.identifier) != product {
            events.append(LedgerRecord(date: now, event: .registered(product)))
        }
        if let countryCode, countryCode != catalog.countryCode {
            events.append(LedgerRecord(date: now, event: .operator(.storefront(countryCode))))
        }
        return events
    }
}

extension SandboxState {
    /// A purchase that is retained after it was finished.
    struct Purchase: Sendable {
        enum Source: Sendable {
            /// The original details for a transaction that restores the purchase.
            case details(StoreTransaction.Details)
            /// A renewal's own transaction; its details are created only for a restore, since few renewals are ever
            /// restored.
            case renewal(StoreTransaction)
        }

        let source: Source
        let product: ProductIndex
        /// The purchased period of an auto-renewable subscription; for a deferred change, the period before the change.
        var term: SubscriptionTerm?
        /// Whether the purchase only changed the product that the subscription renews as.
        ///
        /// Such a purchase bought no period, so neither a restore nor an app receipt includes it.
        var isDeferredChange = false
        /// Whether the purchase belongs to an earlier purchase's period, as a repetition or a deferred change does.
        var continuesPeriod = false
        /// Whether the product is a non-consumable or a free subscription, of which a repeated purchase costs nothing.
        var isForGood = false
        /// Whether the purchase cost something.
        var isCharged = false
        var isFinished = false
        /// Whether another member of the family paid for the purchase.
        var isShared = false
        /// Whether the purchase was refunded or is no longer shared.
        ///
        /// Receipts state the cancellation date, and a restore omits the purchase.
        var isCancelled = false
        /// Whether the operator has deleted the purchase, as if it had never existed.
        var isDeleted = false
    }
}

extension SandboxState.Purchase {
    /// The identifier of the purchase's transaction.
    var identifier: String {
        switch source {
        case .details(let details): details.original?.identifier ?? ""
        case .renewal(let transaction): transaction.identifier
        }
    }

    /// Whether the account itself bought the product with this purchase, and the purchase is still valid.
    var isOwn: Bool { !isShared && !isCancelled && !isDeleted && !isDeferredChange }

    /// The original details for a transaction that restores the purchase.
    var asOriginal: StoreTransaction.Details {
        switch source {
        case .details(let details): return details
        case .renewal(let transaction):
            let itself = StoreTransaction.Original(
                identifier: transaction.identifier,
                date: transaction.date,
                payment: transaction.payment
            )
            return StoreTransaction.Details(failure: nil, original: itself, receipt: nil)
        }
    }

    fileprivate func isRestored(by applicationUsername: String?, _ catalog: Catalog) -> Bool {
        guard isFinished, !isCancelled, !isDeleted, !isDeferredChange, catalog.isRestorable(product) else {
            return false
        }
        guard let applicationUsername, let buyer = asOriginal.original?.payment.applicationUsername else { return true }
        return buyer == applicationUsername
    }
}

extension SandboxState {
    /// Returns the transaction that began the period of a purchase in an account's history; nil without a period.
    ///
    /// Receipts and JWS name the period by the number of this transaction, see
    /// ``TransactionPayload/webOrderLineItemId``.
    func period(of index: PurchaseIndex, by account: AccountID) -> TransactionNumber? {
        let history = accounts[account].history
        guard let original = history[index].term?.original else { return nil }
        let chain = history.chain(of: original)
        let end = chain.indices.partitionPoint { chain[$0] <= index }
        let first = chain[..<end].last { !history[$0].continuesPeriod }
        return first.flatMap { TransactionNumber(history[$0].identifier) }
    }

    /// Whether a restore returns a purchase (behaviors 102, 104, 105 and 110).
    func isRestored(_ index: PurchaseIndex, by applicationUsername: String?, _ account: AccountID) -> Bool {
        // The purchase is examined in place, not copied.
        accounts[account].history[index].isRestored(by: applicationUsername, catalog)
    }
}

// The rows of a state's tables.

extension SandboxState {
    /// An unfinished transaction, stored under its number.
    struct Row: Sendable {
        /// The transaction as its device receives it.
        var transaction: StoreTransaction
        /// The account, nil if none was signed in at the order.
        @Packed private(set) var account: AccountID?
        /// The device of the order; nil for a transaction without an order, which every device of the account receives.
        @Packed private(set) var device: DeviceID?
        /// The product, nil for an unknown one.
        @Packed private(set) var product: ProductIndex?
        /// The purchase that the transaction is or restores; nil if the account's history does not contain it.
        @Packed var history: PurchaseIndex?
    }

    struct Account: Sendable {
        let name: String
        /// The non-consumables and free subscriptions that the account owns.
        var owned: Set<ProductIndex> = []
        var consumables = UnfinishedConsumables()
        var history = PurchaseHistory()
        /// The number of unfinished transactions that all of the account's devices receive.
        var unfinished = 0
        /// The date of the last purchase or renewal that cost something, nil for none; a deleted one counts too.
        var lastPayment: Date?

        /// Records a payment, which a test may date before an earlier one.
        @inline(__always)
        mutating func pay(at date: Date) { lastPayment = lastPayment.map { max($0, date) } ?? date }
    }

    struct Device: Sendable {
        let name: String
        /// The account that is signed in, nil for none.
        @Packed var account: AccountID?
        /// All accounts that were ever signed in.
        var accounts: [AccountID]
        var mayPay = true
        var taken = IdempotencyRecord()
        /// The number of unfinished transactions that were ordered on the device.
        var unfinished = 0
        /// The number of records when the account signed in; acknowledgements of earlier positions are ignored.
        var start = 0
        /// Whether the device has a receipt, because of a purchase, a restore or a receipt refresh.
        var hasReceipt = false
        /// The expiration and revocation that the receipt states, set by its last refresh.
        var receiptClaims = ReceiptClaims()
    }
}

/// The highest command number accepted from each opening of a queue's journal, to recognize repeated commands.
///
/// The last command's opening is stored separately, for quick access.
struct IdempotencyRecord: Sendable {
    private var recent: OrderID?
    private var others: [JournalID: Int] = [:]

    func has(_ command: OrderID) -> Bool {
        if let recent, recent.journal == command.journal { return command.number <= recent.number }
        return command.number <= others[command.journal, default: 0]
    }

    mutating func take(_ command: OrderID) {
        if let recent, recent.journal != command.journal { others[recent.journal] = recent.number }
        recent = command
    }
}

extension IdempotencyRecord: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let earlier = others.filter { $0.key != recent?.journal }.sorted { $0.key.rawValue < $1.key.rawValue }
        // The most recent command comes last, so that decoding makes it the most recent one again.
        let all = earlier.map { OrderID(journal: $0.key, number: $0.value) } + [recent].compactMap(\.self)
        pack.add(all.count)
        for command in all { command.pack(into: &pack) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        for _ in try pack.count() { take(try OrderID(unpacking: &pack)) }
    }
}

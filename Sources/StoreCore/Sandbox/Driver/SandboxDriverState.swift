import Foundation

/// The part of a sandbox store under its lock: the state, its ledger, and the listeners to notify.
struct SandboxDriverState: Sendable {
    var settings: Settings
    private(set) var state: SandboxState
    /// The index of all transactions, which applies each record with the state; nil until a transaction is read.
    private(set) var index: TransactionIndex?
    var storefrontQuestions = StorefrontQuestions()
    var work = 0
    /// The trace of deliveries to devices; nil while tracing is off.
    var deliveries: [DeliveryTraceEntry]?

    var records: StoreRecords
    private var snapshots: SnapshotStorage
    /// The connections, in the order of their identifiers.
    var connections: [SandboxConnection] = []
    var lastConnection = 0
    /// The connection whose commands are being accepted; it receives their updates without being notified.
    var asking: StoreConnectionID?
    /// The listeners to notify as soon as the lock is released.
    var rings: [any UpdateListener] = []
    /// The listeners to the history.
    var historyRings: [HistoryRing] = []
    /// The orders to pass to the authorizer as soon as the lock is released.
    var questions: [TransactionNumber] = []
    /// The number of listeners that are being notified.
    var ringing = 0
    /// What apps are not shown yet; nil unless the store has quirks.
    var concealed: ConcealedHistory?
    /// The date at which a store with quirks makes the renewals that are due; nil while it makes none.
    ///
    /// The records have the dates of the former periods' ends, which may be earlier.
    private(set) var renewalsDate: Date?
    /// The orders that no authorizer has decided because of a quirk, oldest first.
    var heldQuestions: [TransactionNumber] = []
    /// The look-ups of products that hang because of a quirk, oldest first.
    var hangingLookUps: [HangingLookUp] = []
    /// The purchases that each account's app receipts list, once a receipt was requested; nil stands for no account.
    var receiptLists: [AccountID?: ReceiptList] = [:]
    /// The events of the current change, or of the last one.
    private(set) var fresh: [LedgerRecord] = []
    /// The number of `fresh` events that the state has applied.
    private var applied = 0
    /// The first transaction that may not exist; nil unless the state holds events that were neither written nor
    /// reverted.
    private(set) var firstDoubtful: TransactionNumber?
    /// The answers of authorizers that are not written yet, oldest first.
    private var answers: [(transaction: TransactionNumber, answer: Authorization)] = []
    /// The times of the scheduled alarms for the subscriptions, the earliest last.
    ///
    /// Each fires once, and none is scheduled while an earlier one is pending.
    private var alarms: [Date] = []
    /// The end of the pause in using the ledger, after a failure of the ledger prevented renewals.
    private var pause: Date?

    /// The maximum number of subscriptions renewed in one change.
    private static var maximumRenewals: Int { 64 }
    /// The seconds until the ledger is tried again.
    private static var pauseAfterFailure: TimeInterval { 60 }

    /// Continues a ledger, and registers the products that are not in it yet.
    ///
    /// Without a country, the store sells for the country of the ledger.
    init(
        products: [SandboxProduct],
        ledger: (any Ledger)?,
        settings: Settings,
        countryCode: String?,
        now: Date
    ) throws {
        // Throws for invalid products before anything is written.
        _ = try Catalog(products)
        records = StoreRecords(ledger)
        self.settings = settings
        snapshots = SnapshotStorage(ledger)
        state = snapshots.latest()
        try state.read(records)
        snapshots.storeIfDue(state)
        try catchUp(with: now)
        try state.catalog.checkRelations(of: products)
        // Records that other stores append from now on are read at the first use.
        if state.registration(of: products, for: countryCode, at: now).isEmpty { return }
        state.catalog.reserveCapacity(products.count)
        try make { driverState in
            driverState.step { state, events in events += state.registration(of: products, for: countryCode, at: now) }
        }
    }
}

// MARK: - Changes

extension SandboxDriverState {
    mutating func numberTransactions(from number: TransactionNumber) { state.numberTransactions(from: number) }

    /// Makes a change: one append and one commit of all events that the steps of `body` decide.
    ///
    /// The follow-up work then notifies the connections that the change concerns.
    ///
    /// `body` is retried if another store on the ledger was faster. If the change cannot be committed, nothing has
    /// changed, and the error is thrown.
    mutating func change(now: Date, _ body: (inout SandboxDriverState) throws -> Void) throws {
        try make(catchingUpWith: now, body)
    }

    /// Applies the records of other stores on the ledger and does the work that is due, as far as that is possible.
    mutating func bringUpToDate(_ now: Date) {
        try? refresh()
        // Work that cannot be written is not done.
        try? catchUp(with: now)
    }

    /// Does the work that is due: renews subscriptions, and then writes the authorizers' answers.
    mutating func catchUp(with now: Date) throws {
        while let due = state.nextDue, due <= now {
            if state.isTokenDue(by: now) {
                try tellOfTokens(by: now)
                continue
            }
            guard settings.rules.hasQuirks else {
                // What is told of a token comes before the renewals behind it.
                try renew(by: state.operatorState.external?.nextNotice.map { min($0, now) } ?? now)
                continue
            }
            guard let moment = settings.rules.renewalMoment(firstDue: due, now: now) else {
                // A quirk delays renewals, but not what is told of tokens.
                guard let notice = state.operatorState.external?.nextNotice, notice <= now else { break }
                try tellOfTokens(by: now)
                continue
            }
            renewalsDate = now
            defer { renewalsDate = nil }
            try renew(by: moment)
        }
        try writeAnswers(now: now)
    }

    /// Notifies servers of the tokens for external purchases that are due first.
    private mutating func tellOfTokens(by now: Date) throws {
        try make { driverState in
            driverState.step { state, events in events += state.dueTokenNotices(by: now) }
        }
    }

    /// Renews or ends the due subscriptions: one change for those that fall due together.
    private mutating func renew(by now: Date) throws {
        let rate = settings.rules.renewalRate
        let renewsUnpaid = settings.rules.renewsUnpaid
        try make { driverState in
            var remaining = Self.maximumRenewals
            var isLast = false
            while !isLast, remaining > 0 {
                isLast = true
                remaining -= 1
                driverState.step { state, events in
                    guard let due = state.subscriptions.due(by: now) else { return }
                    state.renew(due.subscription, rate, renewsUnpaid: renewsUnpaid, &events)
                    isLast = due.isLast
                }
                driverState.addFollowers()
            }
        }
    }

    /// Returns the time of the next alarm, unless an alarm is set for that time or an earlier one.
    mutating func nextAlarm() -> Date? {
        let next = settings.rules.hasQuirks ? nextMomentWithQuirks : state.nextDue
        guard let due = next else { return nil }
        let moment = max(due, pause ?? due)
        if let earliest = alarms.last, earliest <= moment { return nil }
        alarms.append(moment)
        return moment
    }

    /// Handles an alarm of the clock.
    mutating func ring(now: Date) {
        _ = alarms.popLast()
        if settings.rules.hasQuirks { revealConcealed(now: now) }
        do {
            try refresh()
            try catchUp(with: now)
            pause = nil
        } catch {
            pause = now + Self.pauseAfterFailure
        }
    }

    /// Makes one step of a change, which is decided after the steps before it.
    ///
    /// A step's events are applied only when the next step begins. Nearly every change has a single step, and so leaves
    /// the state as it is until the events are written.
    mutating func step(_ decide: (borrowing SandboxState, inout [LedgerRecord]) throws -> Void) rethrows {
        applyFresh()
        try decide(state, &fresh)
    }

    /// Accepts a device's commands.
    ///
    /// `decideAll` decides each command after the outcome of the previous ones. It is retried if another store on the
    /// ledger was faster.
    @inline(__always)
    mutating func take(
        from device: DeviceID,
        on connection: StoreConnectionID?,
        now: Date,
        _ exchange: inout Exchange,
        _ decideAll: (inout SandboxDriverState) -> Void
    ) {
        guard settings.isReachable(from: device) else { return exchange.refuse(SandboxDriver.unreachable) }
        asking = connection
        defer { asking = nil }
        do {
            try prepare()
            defer { records.turns?.endTurn() }
            var attempt: Attempt
            repeat {
                // The append reveals whether another store has appended meanwhile.
                attempt = try begin(catchingUpWith: now)
                decideAll(&self)
            } while try !isMade(attempt)
        } catch {
            return exchange.refuse(StoreFailure(ofStore: error))
        }
        for index in fresh.indices {
            if case .ordered(let order) = fresh[index].event { questions.append(order.transaction) }
        }
    }

    // Inlined: otherwise the call would copy the command.
    @inline(__always)
    mutating func decide(_ command: StoreCommand, from device: DeviceID, now: Date) {
        if applied < fresh.count { applyFresh() }
        state.decide(
            command,
            from: device,
            isAuthorized: settings.authorizesAtOnce,
            rules: settings.rules,
            now: now,
            &fresh
        )
    }

    /// Computes the effect of a change's steps so far on the members of bundles, and then on families.
    mutating func addFollowers() {
        if fresh.isEmpty { return }
        if state.catalog.hasBundles {
            let rate = settings.rules.renewalRate
            step { state, events in state.followBundles(rate, &events) }
        }
        if !state.families.isEmpty { step { state, events in state.shareWithFamilies(&events) } }
    }

    /// Applies the records of other stores on the ledger, and repairs the state after a failure.
    ///
    /// - Throws: the error that prevents reading the ledger. The state then has applied none or some of the records.
    mutating func refresh() throws {
        if firstDoubtful != nil { try rebuild() }
        if try records.head != state.position { try readNewRecords() }
    }

    /// Applies the records that other stores have appended to the ledger.
    private mutating func readNewRecords() throws {
        // The records read so far are applied, even if reading later ones fails.
        defer { updateConnections() }
        fresh.empty()
        applied = 0
        try state.read(records, with: index)
    }

    /// Makes a change; before each attempt, does the work that is due at a moment, if one is given.
    private mutating func make(
        catchingUpWith now: Date? = nil,
        _ body: (inout SandboxDriverState) throws -> Void
    ) throws {
        try prepare()
        defer { records.turns?.endTurn() }
        var attempt: Attempt
        repeat {
            attempt = try begin(catchingUpWith: now)
            do { try body(&self) } catch {
                undo(from: attempt.nextTransaction)
                throw error
            }
        } while try !isMade(attempt)
    }

    /// The position of the state when a change began.
    private struct Attempt {
        let position: Int
        let nextTransaction: TransactionNumber
    }

    private mutating func prepare() throws {
        work &+= 1
        if firstDoubtful != nil { try rebuild() }
    }

    /// Begins a turn on a ledger on which stores take turns; returns whether it has read records of other stores.
    private mutating func beginTurn() throws -> Bool {
        guard let turns = records.turns, turns.beginTurn() else { return false }
        try readNewRecords()
        return true
    }

    @inline(__always)
    private mutating func begin(catchingUpWith now: Date?) throws -> Attempt {
        if let now { try catchUp(with: now) }
        // Records that other stores have appended may make work due, too.
        while try beginTurn(), let now, let due = state.nextDue, due <= now { try catchUp(with: now) }
        fresh.empty()
        applied = 0
        return Attempt(position: state.position, nextTransaction: state.nextTransaction)
    }

    /// Commits the decided events, then computes the updates for the connections that they concern.
    ///
    /// Returns false, with nothing changed, if another store on the ledger was faster.
    @inline(__always)
    private mutating func isMade(_ attempt: Attempt) throws -> Bool {
        do {
            if state.catalog.hasBundles || !state.families.isEmpty { addFollowers() }
            if fresh.isEmpty {
                // All commands repeat accepted ones, so they succeed even if the ledger cannot be read.
                try? refresh()
                return true
            }
            if try isAppended(attempt) {
                if snapshots.areStored { snapshots.storeIfDue(state) }
                return true
            }
        } catch {
            undo(from: attempt.nextTransaction)
            throw error
        }
        undo(from: attempt.nextTransaction)
        try refresh()
        guard state.position > attempt.position else {
            throw StoreFailure.storeKit(.unknown, "the ledger takes nothing after its record \(attempt.position)")
        }
        return false
    }

    /// Appends the decided events, applies them, and computes the updates for the connections that they concern.
    @inline(__always)
    private mutating func isAppended(_ attempt: Attempt) throws -> Bool {
        guard fresh.count == 1, applied == 0 else {
            guard try records.append(fresh, ifHeadIs: attempt.position) else { return false }
            applyFresh()
            updateConnections()
            return true
        }
        // Nearly every change: a single record, stored once and borrowed.
        let record = fresh[0]
        guard try records.append(record, ifHeadIs: attempt.position) else { return false }
        state.apply(record, with: index)
        applied = 1
        updateConnections(of: record)
        return true
    }

    /// Returns whether the state matches the ledger, after reading it again if necessary.
    mutating func isSure() -> Bool {
        if firstDoubtful != nil { try? rebuild() }
        return firstDoubtful == nil
    }

    /// Reads the index of all transactions, which the first read builds from the whole ledger.
    ///
    /// - Throws: the error that prevents reading the ledger.
    mutating func readIndex<R>(of bundleIdentifier: String, _ body: (TransactionIndex) throws -> R) throws -> R {
        if firstDoubtful != nil { try rebuild() }
        let index = try index ?? TransactionIndex(bundleIdentifier: bundleIdentifier, forEachRecord)
        self.index = index
        return try lend(to: index, body)
    }

    /// Lends the state to an index for the duration of a call.
    mutating func lend<R>(to index: TransactionIndex, _ body: (TransactionIndex) throws -> R) rethrows -> R {
        try index.borrowing(&state) { try body(index) }
    }

    private mutating func applyFresh() {
        while applied < fresh.count {
            state.apply(fresh[applied], with: index)
            applied += 1
        }
    }

    /// Reverts the events of a change that was not written.
    private mutating func undo(from next: TransactionNumber) {
        let isTouched = applied > 0
        fresh.empty()
        applied = 0
        guard isTouched else { return }
        firstDoubtful = next
        index = nil
        // If the ledger cannot be read either, the next call tries again.
        try? rebuild()
    }

    /// Rebuilds the state from the whole ledger, or from its last snapshot and the records after it.
    ///
    /// The cost grows with the number of records read. A rebuild happens only if a change of several steps could not be
    /// written. The alternative, a second copy of the state to go back to, would make every change more expensive.
    private mutating func rebuild() throws {
        var whole = snapshots.latest()
        try whole.read(records)
        state = whole
        firstDoubtful = nil
        receiptLists = [:]
        for index in connections.indices { connections[index].goBack(to: state.position) }
        updateConnections()
        ringAll()
    }
}

// MARK: - Products and decisions

extension SandboxDriverState {
    mutating func describe(
        _ identifiers: Set<String>,
        for locale: String,
        in storefront: StoreStorefront?,
        at moment: Date
    ) -> ProductsAnswer {
        state.catalog.answer(identifiers, for: locale, in: storefront, at: moment)
    }

    /// Stores an authorizer's answer until it is written.
    mutating func store(_ answer: Authorization, about transaction: TransactionNumber) {
        answers.append((transaction, answer))
    }

    /// Writes the authorizers' answers.
    mutating func writeAnswers(now: Date) throws {
        if answers.isEmpty { return }
        try make { driverState in
            for index in driverState.answers.indices {
                let (transaction, answer) = driverState.answers[index]
                let rules = driverState.settings.rules
                driverState.step { $0.decide(transaction, answer, isFirstAnswer: true, rules, now: now, &$1) }
            }
        }
        answers.removeAll(keepingCapacity: true)
        // Subscriptions ordered with a date in the past are renewed until now.
        try catchUp(with: now)
    }
}

// Purchases whose outcome the operator has chosen.
extension SandboxDriverState {
    /// Adds the events of an order, and of a decision about it.
    mutating func order(
        _ command: StoreCommand,
        from device: DeviceID,
        _ answer: Authorization,
        _ rules: SandboxRules,
        now: Date
    ) {
        applyFresh()
        state.decide(command, from: device, isAuthorized: false, rules: rules, now: now, &fresh)
        guard case .ordered(let order)? = fresh.last?.event else { return }
        step { state, events in
            state.decide(order.transaction, answer, isFirstAnswer: false, rules, now: now, &events)
        }
    }
}

// Purchases that a test dates in the past.
extension SandboxDriverState {
    /// Decides an order with a date, within a change, and renews its subscription until now.
    mutating func decide(_ command: StoreCommand, dated date: Date, from device: DeviceID, now: Date) {
        guard case .purchase(let payment) = command.action else { return }
        let (isAuthorized, rules) = (settings.authorizesAtOnce, settings.rules)
        step { state, events in
            state.decide(
                command,
                payment,
                dated: date,
                from: device,
                isAuthorized: isAuthorized,
                rules: rules,
                now: now,
                &events
            )
        }
        addFollowers()
        while renewNext(by: now, rules.renewalRate) { addFollowers() }
    }

    /// Buys a product without a queue's order; if the purchase is dated in the past, also adds all renewals until now.
    ///
    /// - Throws: the reason why the product is not sold.
    mutating func buy(
        _ payment: StorePayment,
        by account: AccountID,
        _ rules: SandboxRules,
        now: Date
    ) throws -> TransactionNumber {
        var number: TransactionNumber = 0
        let date = payment.purchaseDate ?? now
        try step { state, events in
            let purchase = try state.purchase(payment, by: account, rules, now: now)
            number = purchase.held ?? purchase.transaction
            events.append(LedgerRecord(date: date, event: .operator(.bought(purchase))))
            if purchase.subscription != nil {
                state.addEndOfRenewal(of: payment, purchase.product, account, date, &events)
            }
        }
        guard payment.purchaseDate != nil else { return number }
        addFollowers()
        while renewNext(by: now, rules.renewalRate) { addFollowers() }
        return number
    }

    /// Renews or ends the subscription that is due first; returns false if none is due.
    private mutating func renewNext(by now: Date, _ rate: RenewalRate) -> Bool {
        var isDue = false
        let renewsUnpaid = settings.rules.renewsUnpaid
        step { state, events in
            guard let due = state.subscriptions.due(by: now) else { return }
            isDue = true
            state.renew(due.subscription, rate, renewsUnpaid: renewsUnpaid, &events)
        }
        return isDue
    }
}

extension StoreCommand {
    /// The date that a test gives a purchase, nil for the time of the order.
    var purchaseDate: Date? {
        if case .purchase(let payment) = action, payment.hasSpecialTerms { payment.purchaseDate } else { nil }
    }
}

// Reads that do not change the store.
extension SandboxDriverState {
    /// Reads the ledger after a position; throws if it returns fewer records than the store has applied.
    func forEachRecord(after position: Int = 0, _ body: (LedgerRecord) -> Void) throws {
        var position = position
        while position < state.position {
            let next = try records.read(after: position, limit: min(1024, state.position - position))
            guard !next.isEmpty else { throw StoreFailure.cutShort(at: position) }
            position += next.count
            for record in next { body(record) }
        }
    }

    /// Returns the authorization requests of the orders that wait for a decision, oldest first.
    func questions(at now: Date, where isMeant: (TransactionNumber) -> Bool = { _ in true }) -> [AuthorizationRequest] {
        state.undecided.filter { number in firstDoubtful.map { number < $0 } ?? true && isMeant(number) }
            .compactMap { question(about: $0, at: now) }
    }

    /// Returns the authorization request about a transaction; nil if the transaction is decided.
    func question(about transaction: TransactionNumber, at now: Date) -> AuthorizationRequest? {
        state.question(about: transaction, at: now, settings.rules.renewalRate)
    }
}

extension SandboxDriverState {
    /// Exchanges the store's rules of offers with others; a second call restores them.
    mutating func swapOffers(_ offers: inout OfferSigning?) {
        guard var other = offers else { return }
        swap(&settings.rules.offers, &other)
        offers = other
    }
}

extension SandboxState {
    /// Applies the next event to the state, and to the store's index, if there is one.
    @inline(__always)
    mutating func apply(_ record: LedgerRecord, with index: TransactionIndex?) {
        if let index { index.take(record, in: &self) } else { apply(record) }
    }

    /// Applies the records that a ledger has beyond this state.
    mutating func read(_ records: StoreRecords, with index: TransactionIndex? = nil) throws {
        while true {
            let new = try records.read(after: position, limit: 1024)
            for record in new { apply(record, with: index) }
            if new.count < 1024 { return }
        }
    }
}

extension StoreFailure {
    /// The error of a ledger that does not return all records that the store has applied: a read would be out of date.
    static func cutShort(at position: Int) -> StoreFailure {
        .storeKit(.unknown, "the ledger returns nothing after its record \(position), although the store has seen more")
    }
}

extension SandboxDriverState {
    /// The settings of the operator and the devices' users that are not in the ledger.
    struct Settings: Sendable {
        var authorizer: Authorizer
        var locale: String
        var rules = SandboxRules()
        var isReachable = true
        /// The devices that cannot reach the store, even while it is reachable.
        var offline: Set<DeviceID> = []
        /// The languages of devices that have one of their own.
        var locales: [DeviceID: String] = [:]
        /// The actions of devices' users in the sheet for offer codes.
        var codeEntries: [DeviceID: CodeEntry] = [:]
        /// The answers of devices' users to a price consent request.
        var priceAnswers: [DeviceID: PriceConsentAnswer] = [:]
        /// The decision about refund requests.
        var refundDecision = RefundDecision.approve
        /// The code of the app's age rating.
        var ageRatingCode: Int?
        /// The purchases outside of the store that the app may offer.
        var external = ExternalPurchaseSettings()
        /// The devices whose users cancel on the notice of such a purchase.
        var cancelsExternal: Set<DeviceID> = []

        /// Whether orders are authorized without a call of the authorizer.
        @inline(__always)
        var authorizesAtOnce: Bool { authorizer.body == nil && !rules.holdsOrders }

        // Inlined: otherwise the call would copy all settings.
        @inline(__always)
        func isReachable(from device: DeviceID) -> Bool {
            isReachable && (offline.isEmpty || !offline.contains(device))
        }
    }
}

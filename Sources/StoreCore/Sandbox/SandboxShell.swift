import Foundation

/// What a sandbox store keeps under its lock: the state, the ledger it comes from, and who is to be told.
struct SandboxShell: Sendable {
    struct Settings: Sendable {
        var authoriser: Authoriser
        var locale: String
        var rules = SandboxRules()
        var isReachable = true
        /// Devices that cannot reach the store although it is there.
        var offline: Set<Int> = []
        /// The languages of devices that have one of their own.
        var locales: [Int: String] = [:]
        /// What the users of devices do in the sheet for offer codes.
        var codeEntries: [Int: CodeEntry] = [:]
        /// What the users of devices answer to the question about a higher price.
        var priceAnswers: [Int: PriceConsentAnswer] = [:]

        // Called, it would be given a copy of all settings.
        @inline(__always)
        func isReachable(from device: Int) -> Bool {
            isReachable && (offline.isEmpty || !offline.contains(device))
        }
    }

    /// A queue that follows a device's updates.
    struct Connection: Sendable {
        let device: Int
        let receiver: any StoreUpdateReceiver
        /// The receiver's own.
        let journal: JournalID
        /// Where the last batch for it ends that was put into the outbox.
        var told: Int
        /// How many events have been looked at for it.
        ///
        /// Those behind `told` do not concern it.
        var seen: Int

        init(_ device: Int, _ receiver: any StoreUpdateReceiver, at position: Int) {
            self.device = device
            self.receiver = receiver
            journal = receiver.journal
            told = position
            seen = position
        }
    }

    /// What waits to be sent to one connection.
    enum Parcel: Sendable {
        case batch(any StoreUpdateReceiver, device: Int, UpdateBatch)
        /// What these events mean; read from the ledger piece by piece when their turn comes.
        case events(any StoreUpdateReceiver, device: Int, after: Int, through: Int)
        case lost(any StoreUpdateReceiver, device: Int, StoreFailure)
    }

    var settings: Settings
    private(set) var state: SandboxState
    var outbox = Outbox<Parcel>()
    var storefrontQuestions = StorefrontQuestions()
    var work = 0
    /// What was sent to devices; nil while nobody wants to know.
    var deliveries: [TracedDelivery]?

    let ledger: any Ledger
    private var snapshots: SnapshotKeeper
    var connections: [Connection] = []
    /// For each account whose receipts were asked for, how they begin; for -1, nobody's.
    var receiptLists: [Int: ReceiptList] = [:]
    /// The events of the change under way, or of the last one.
    private(set) var fresh: [LedgerRecord] = []
    /// How many of those the state has taken in.
    private var applied = 0
    /// While the state holds what could be neither written nor taken back: the first transaction that may not exist.
    private var firstDoubtful: Int?
    /// What authorisers said that is not written yet, oldest first.
    private var answers: [(transaction: Int, answer: Authorisation)] = []
    /// When the clock will ring for the subscriptions, the earliest last.
    ///
    /// Each of them rings once, and none is set while an earlier one is to come.
    private var alarms: [Date] = []
    /// Until when to leave the ledger alone, after it kept subscriptions from being renewed.
    private var pause: Date?

    /// How many subscriptions are renewed in one change at the most.
    private static var maximumRenewals: Int { 64 }
    /// Seconds after which the ledger is tried again.
    private static var pauseAfterFailure: TimeInterval { 60 }

    /// Continues a ledger, and registers what is not in it yet.
    ///
    /// Without a country it sells for the ledger's.
    init(
        products: [SandboxProduct],
        ledger: any Ledger,
        settings: Settings,
        countryCode: String?,
        now: Date
    ) throws {
        // Says what is wrong with them before anything is written.
        _ = try Catalogue(products)
        self.ledger = ledger
        self.settings = settings
        snapshots = SnapshotKeeper(ledger)
        state = snapshots.latest()
        try state.read(ledger)
        snapshots.keepIfDue(state)
        try change(now: now) { shell in
            try shell.step { state, events in
                for product in products where state.catalogue.product(product.identifier) != product {
                    events.append(LedgerRecord(date: now, event: .registered(product)))
                }
                if let countryCode, countryCode != state.catalogue.countryCode {
                    events.append(LedgerRecord(date: now, event: .owner(.storefront(countryCode))))
                }
            }
        }
    }
}

// MARK: - Changes

extension SandboxShell {
    mutating func numberTransactions(from number: Int) { state.numberTransactions(from: number) }

    /// Makes a change: one append and one commit of all that the steps of `body` decide; then whoever it concerns is to
    /// be told.
    ///
    /// `body` begins anew if another store on the ledger was faster. If it cannot be made to last, nothing has changed,
    /// and the error is thrown.
    mutating func change(now: Date, _ body: (inout SandboxShell) throws -> Void) throws {
        try catchUp(with: now)
        try make(body)
    }

    /// Takes in what other stores on the ledger have appended and does what has been left to do, as far as that is possible.
    mutating func bringUpToDate(_ now: Date) {
        try? refresh()
        // What cannot be written is not so.
        try? catchUp(with: now)
    }

    /// Does what has been left to do: renews the subscriptions that are due, then writes answers, which count from now.
    mutating func catchUp(with now: Date) throws {
        while let due = state.subscriptions.nextDue, due <= now { try renew(by: now) }
        try writeAnswers(now: now)
    }

    /// Renews what is due, or ends it: one change for what falls due together.
    private mutating func renew(by now: Date) throws {
        let rate = settings.rules.renewalRate
        try make { shell in
            var rest = Self.maximumRenewals
            var isLast = false
            while !isLast, rest > 0 {
                isLast = true
                rest -= 1
                try shell.step { state, events in
                    guard let due = state.subscriptions.due(by: now) else { return }
                    state.renew(due.subscription, rate, &events)
                    isLast = due.isLast
                }
                try shell.shareWithFamilies()
            }
        }
    }

    /// When the clock is to ring, if it is not set for that or for something earlier already.
    mutating func nextAlarm() -> Date? {
        guard let due = state.subscriptions.nextDue else { return nil }
        let moment = max(due, pause ?? due)
        if let earliest = alarms.last, earliest <= moment { return nil }
        alarms.append(moment)
        return moment
    }

    /// The clock has rung.
    mutating func ring(now: Date) {
        _ = alarms.popLast()
        do {
            try refresh()
            try catchUp(with: now)
            pause = nil
        } catch {
            pause = now + Self.pauseAfterFailure
        }
    }

    /// One step of a change: it sees what the steps before it have decided.
    ///
    /// A step's events are taken in only when the next one begins, so that a change of one step, which is nearly every
    /// one, leaves the state as it is until it is written.
    mutating func step(_ decide: (borrowing SandboxState, inout [LedgerRecord]) throws -> Void) throws {
        applyFresh()
        try decide(state, &fresh)
    }

    /// Takes a device's commands in, each by what the ones before it came to.
    mutating func take(_ commands: [StoreCommand], from device: Int, now: Date) throws {
        try change(now: now) { shell in
            for index in commands.indices { shell.decide(commands[index], from: device, now: now) }
        }
    }

    // Called, it would be given a copy of the command.
    @inline(__always)
    private mutating func decide(_ command: StoreCommand, from device: Int, now: Date) {
        applyFresh()
        state.decide(
            command,
            from: device,
            isAuthorised: settings.authoriser.body == nil,
            rules: settings.rules,
            now: now,
            &fresh
        )
    }

    /// What the steps of a change so far mean to families, where there are any.
    private mutating func shareWithFamilies() throws {
        if state.families.isEmpty || fresh.isEmpty { return }
        try step { state, events in state.shareWithFamilies(&events) }
    }

    /// The orders of the last change that somebody has to be asked about.
    // Called, it would be given a copy of the whole shell.
    @inline(__always)
    var newlyUndecided: [Int] {
        var numbers: [Int] = []
        for index in fresh.indices {
            if case .ordered(let order) = fresh[index].event { numbers.append(order.transaction) }
        }
        return numbers
    }

    /// Takes in what other stores on the ledger have appended, and what a failure has left undone.
    ///
    /// - Throws: what keeps the ledger from being read. The state is then what it was, or further.
    mutating func refresh() throws {
        if firstDoubtful != nil { try rebuild() }
        guard try ledger.head != state.position else { return }
        // What has been read counts, even if more could not be.
        defer { tellConnections() }
        fresh.empty()
        applied = 0
        try state.read(ledger)
    }

    private mutating func make(_ body: (inout SandboxShell) throws -> Void) throws {
        work &+= 1
        if firstDoubtful != nil { try rebuild() }
        while true {
            let start = state.position
            let next = state.nextTransaction
            fresh.empty()
            applied = 0
            do {
                try body(&self)
                try shareWithFamilies()
                if fresh.isEmpty {
                    // All of it was done before, which is true whatever the ledger does now.
                    try? refresh()
                    return
                }
                if try ledger.append(fresh, ifHeadIs: start) {
                    try ledger.commit()
                    break
                }
            } catch {
                undo(from: next)
                throw error
            }
            undo(from: next)
            try refresh()
            guard state.position > start else {
                throw StoreFailure.storeKit(.unknown, "the ledger takes nothing after its record \(start)")
            }
        }
        applyFresh()
        tellConnections()
        if snapshots.areKept { snapshots.keepIfDue(state) }
    }

    private mutating func applyFresh() {
        while applied < fresh.count {
            state.apply(fresh[applied])
            applied += 1
        }
    }

    /// Takes back what the state holds of a change that was not written.
    private mutating func undo(from next: Int) {
        let isTouched = applied > 0
        fresh.empty()
        applied = 0
        guard isTouched else { return }
        firstDoubtful = next
        // If the ledger cannot be read either, the next call tries again.
        try? rebuild()
    }

    /// Folds the whole ledger again, or what it has beyond its last snapshot.
    ///
    /// It costs what the history costs; but it happens only after several commands at once could not be written, and a
    /// second copy of the state to go back to would cost something all the time.
    private mutating func rebuild() throws {
        var whole = snapshots.latest()
        try whole.read(ledger)
        state = whole
        firstDoubtful = nil
        receiptLists = [:]
        for index in connections.indices {
            connections[index].told = min(connections[index].told, state.position)
            connections[index].seen = min(connections[index].seen, state.position)
        }
        tellConnections()
    }
}

// MARK: - Decisions

extension SandboxShell {
    /// What waits for a decision, oldest first.
    func questions(at now: Date, where isMeant: (Int) -> Bool = { _ in true }) -> [AuthorisationRequest] {
        state.undecided.filter { $0 < firstDoubtful ?? .max && isMeant($0) }.compactMap { question(about: $0, at: now) }
    }

    /// What somebody is to be asked about a transaction; nil if it is decided.
    func question(about transaction: Int, at now: Date) -> AuthorisationRequest? {
        state.question(about: transaction, at: now, settings.rules.renewalRate)
    }

    /// Keeps what an authoriser said until it is written.
    mutating func keep(_ answer: Authorisation, about transaction: Int) { answers.append((transaction, answer)) }

    /// Writes what authorisers said.
    mutating func writeAnswers(now: Date) throws {
        if answers.isEmpty { return }
        try make { shell in
            for index in shell.answers.indices {
                let (transaction, answer) = shell.answers[index]
                let rate = shell.settings.rules.renewalRate
                try shell.step { $0.decide(transaction, answer, isFirstAnswer: true, rate: rate, now: now, &$1) }
            }
        }
        answers.removeAll(keepingCapacity: true)
    }
}

extension SandboxState {
    /// Takes in what a ledger has beyond this.
    fileprivate mutating func read(_ ledger: any Ledger) throws {
        while true {
            let records = try ledger.read(after: position, limit: 1024)
            for record in records { apply(record) }
            if records.count < 1024 { return }
        }
    }
}

// MARK: - The ledger

extension SandboxShell {
    /// Reads the whole ledger.
    func forEachRecord(_ body: (LedgerRecord) -> Void) throws {
        var position = 0
        while position < state.position {
            let records = try ledger.read(after: position, limit: min(1024, state.position - position))
            if records.isEmpty { return }
            position += records.count
            for record in records { body(record) }
        }
    }
}

// MARK: - Products

extension SandboxShell {
    mutating func describe(
        _ identifiers: Set<String>,
        for locale: String,
        in storefront: StoreStorefront?,
        at moment: Date
    ) -> ProductsAnswer {
        state.catalogue.answer(identifiers, for: locale, in: storefront, at: moment)
    }
}

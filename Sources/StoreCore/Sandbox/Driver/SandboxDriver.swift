import Foundation
import Synchronization

/// The shared driver of a sandbox store, its devices and its accounts: the state under a lock, and access to it.
final class SandboxDriver: Sendable {
    let clock: any StoreClock
    let signer: any ReceiptSigner
    let ownPayloadSigner: any PayloadSigner
    /// Locked after the state.
    let signing = Locked(PayloadSigning())
    let bundleIdentifier: String
    let bundleVersion: String
    let appAppleIdentifier: Int64?
    let state: Locked<SandboxDriverState>
    let activity: Activity
    /// The lane of the queues' calls.
    let lane: BackendLane
    /// Whether ledger and clock are StoreCore's own; see ``ImmediateStore/isSelfContained``.
    let isSelfContained: Bool
    let content = Locked(ContentServer())
    /// The last signed app receipt of each device.
    let signedReceipts = Locked<[DeviceID: SignedReceipt]>([:])
    /// The history of all transactions, as far as it was read; nil until its first read.
    ///
    /// Locked after the state.
    let history = Locked<LedgerHistory?>(nil)
    /// The connection to the app's server that chooses retention messages.
    let retentionLink = Locked(RetentionLink(server: nil))
    private let signingLog: SigningLog
    private let port: SandboxPort
    let link = Link()
    /// The receivers of queues that do not call the store directly.
    let pushConnections = PushConnections()

    /// The only weak reference to a driver, so that an alarm need not create its own.
    final class Link: LedgerListener, @unchecked Sendable {  // unchecked: set once, before the driver is shared
        fileprivate(set) weak var driver: SandboxDriver?
        fileprivate let alarms = Locked(Alarms())

        func ring(_ number: Int) {
            withExtendedLifetime(alarms.withLock { $0.rang(number) }) {}
            driver?.use { driverState, now in driverState.ring(now: now) }
        }

        /// Applies the records that other stores on the ledger have appended, and notifies the queues.
        func ledgerMayHaveGrown() { driver?.use { driverState, now in driverState.bringUpToDate(now) } }
    }

    /// A weak reference to the connection to an app's server, which belongs to whoever serves the store.
    struct RetentionLink: Sendable {
        weak let server: (any RetentionServer)?
    }

    /// The alarms to cancel in a clock that outlives the store.
    fileprivate struct Alarms: Sendable {
        private var lastNumber = 0
        /// The alarms that have not fired, nearly always one; without a token until the clock has returned it.
        ///
        /// The last one fires first, since an alarm is added only if it is earlier than all others.
        private var pending: [(number: Int, token: TimerToken?)] = []

        mutating func add() -> Int {
            lastNumber += 1
            pending.append((lastNumber, nil))
            return lastNumber
        }

        /// Stores an alarm's token, unless the alarm fired before its token was returned.
        mutating func store(_ token: TimerToken, for number: Int) {
            if let index = pending.lastIndex(where: { $0.number == number }) { pending[index].token = token }
        }

        /// Removes a fired alarm, and returns its token, to be released without a lock.
        mutating func rang(_ number: Int) -> TimerToken? {
            guard let index = pending.lastIndex(where: { $0.number == number }) else { return nil }
            return pending.remove(at: index).token
        }

        mutating func takeTokens() -> [TimerToken] {
            defer { pending = [] }
            return pending.compactMap(\.token)
        }
    }

    init(
        state: consuming SandboxDriverState,
        clock: any StoreClock,
        signer: any ReceiptSigner,
        bundleIdentifier: String,
        bundleVersion: String,
        appAppleIdentifier: Int64?,
        log: StoreLog
    ) {
        self.clock = clock
        self.signer = signer
        ownPayloadSigner = signer as? any PayloadSigner ?? HMACReceiptSigner()
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.appAppleIdentifier = appAppleIdentifier
        signingLog = SigningLog(log)
        lane = (state.records.ledger as? any DurableLedger)?.lane ?? .caller
        isSelfContained =
            state.records.ledger == nil && (clock is SystemClock || clock is ManualClock)
        self.state = Locked(consume state)
        activity = clock.activity
        port = SandboxPort(self.state, clock)
        link.driver = self
        activity.register(port)
        // An earlier store on this ledger may have accepted orders without passing them to its authorizer.
        for number in self.state.withLock({ $0.state.unasked }) { ask(about: number) }
        use { _, _ in }
        (self.state.withLock { $0.records.ledger } as? any SharedLedger)?.add(link)
    }

    deinit {
        for token in link.alarms.withLock({ $0.takeTokens() }) { token.cancel() }
        for piece in content.withLock({ $0.cut(nil) }) { piece.timer?.cancel() }
    }
}

// MARK: - Signers

extension SandboxDriver {
    /// The signer of JWS.
    var payloadSigner: any PayloadSigner { signing.withLock { $0.preferred } ?? ownPayloadSigner }

    /// Signs JWS with another signer from now on, if the store's own signer has a generated key.
    func preferForPayloads(_ signer: () -> any PayloadSigner) {
        guard (ownPayloadSigner as? HMACReceiptSigner)?.isAnonymous == true else { return }
        signing.withLock { signing in
            if signing.preferred == nil { signing.prefer(signer()) }
        }
    }

    /// Returns the signature that `body` creates; logs a failure, and then returns nil.
    func signed<Signature>(_ what: SigningLog.Subject, _ body: () throws -> Signature?) -> Signature? {
        do {
            return try body()
        } catch {
            signingLog.add(what, error)
            return nil
        }
    }

    /// Returns the app's Apple ID in production; nil in other environments, whose receipts and JWS do not contain it.
    func appAppleIdentifier(in environment: String) -> Int64? {
        environment == ReceiptEnvelope.production ? appAppleIdentifier : nil
    }

    /// The app's Apple ID in requests for retention messages, which have it in every environment; 0 if it is unknown.
    var anyAppAppleIdentifier: Int64 { appAppleIdentifier ?? 0 }
}

// MARK: - Access under the lock

extension SandboxDriver {
    /// Calls `body` under the lock, with the time read under the lock, and then does the follow-up work.
    func use<R>(_ body: (inout SandboxDriverState, Date) throws -> R) rethrows -> R {
        try CallScope.outermost {
            var followUps: SandboxFollowUps?
            defer { if let followUps { run(followUps) } }
            return try state.withLock { driverState in
                defer { followUps = driverState.takeFollowUps() }
                return try body(&driverState, clock.now)
            }
        }
    }

    /// Does the follow-up work once the lock is released.
    func run(_ followUps: SandboxFollowUps) {
        CallScope.outermost {
            ring(followUps)
            ask(followUps.questions)
        }
    }

    /// Sets the alarm, and notifies the listeners.
    private func ring(_ followUps: SandboxFollowUps) {
        CallScope.outermost {
            if let alarm = followUps.alarm { set(alarm) }
            for listener in followUps.rings { listener.updatesArrived() }
            if followUps.rings.isEmpty { return }
            state.withLock { $0.ringing -= followUps.rings.count }
            activity.changed()
        }
    }

    /// Calls the authorizer.
    private func ask(_ questions: [TransactionNumber]) {
        CallScope.outermost { for number in questions { ask(about: number) } }
    }

    /// Reads the state, after performing everything due by now.
    func look<R>(_ body: (SandboxDriverState, Date) throws -> R) rethrows -> R {
        try use { driverState, now in
            driverState.bringUpToDate(now)
            return try body(driverState, now)
        }
    }

    /// Changes the state for the operator.
    func change(_ decide: (SandboxState, inout [LedgerRecord], Date) throws -> Void) throws {
        try use { driverState, now in
            try driverState.refresh()
            try driverState.change(now: now) { driverState in try driverState.step { try decide($0, &$1, now) } }
        }
    }

    /// Calls the authorizer.
    func ask(about number: TransactionNumber) {
        let (authorizer, question) = state.withLock { driverState in
            let isHeld = driverState.settings.rules.holdsOrders
            if isHeld { driverState.heldQuestions.append(number) }
            return (driverState.settings.authorizer, isHeld ? nil : driverState.question(about: number, at: clock.now))
        }
        guard let question else { return }
        let answer = authorizer.body?(question) ?? .approve
        use { driverState, now in
            driverState.store(driverState.settings.rules.answer(for: answer), about: number)
            // If the answer cannot be written now, it is written before the next change.
            try? driverState.catchUp(with: now)
        }
    }

    /// Schedules an alarm for when the next subscription is due.
    private func set(_ alarm: Date) {
        let number = link.alarms.withLock { $0.add() }
        let token = clock.schedule(at: alarm) { [link] in link.ring(number) }
        link.alarms.withLock { $0.store(token, for: number) }
    }
}

// MARK: - Commands and connections

extension SandboxDriver {
    /// Accepts a device's commands, and delivers a connection's pending updates.
    ///
    /// Makes no callbacks.
    func exchange(
        _ commands: [StoreCommand],
        from device: DeviceID,
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        var offers = commands.contains(where: \.hasSpecialTerms) ? checkedOffers(commands) : nil
        self.exchange(on: connection, into: &exchange) { driverState, now, exchange in
            if commands.isEmpty { return }
            let haveOffers = offers != nil
            driverState.swapOffers(&offers)
            let commands =
                haveOffers && driverState.settings.rules.sellsUnknownOverrides
                ? commands.map { driverState.settings.rules.withoutUnknownOverride($0, now: now) } : commands
            driverState.take(from: device, on: connection, now: now, &exchange) { driverState in
                for command in commands {
                    if let date = command.purchaseDate {
                        driverState.decide(command, dated: date, from: device, now: now)
                    } else {
                        driverState.decide(command, from: device, now: now)
                    }
                }
            }
            driverState.swapOffers(&offers)
        }
    }

    /// Verifies the offers of payments with the signers.
    private func checkedOffers(_ commands: [StoreCommand]) -> OfferSigning {
        let payments = commands.compactMap { if case .purchase(let payment) = $0.action { payment } else { nil } }
        return state.withLock { $0.settings.rules.offers }.checking(payments.filter(\.hasSpecialTerms))
    }

    /// Accepts one command of a device, and delivers a connection's pending updates.
    ///
    /// The command must not be a payment with special terms, which signers may have to verify.
    func exchange(
        _ command: StoreCommand,
        from device: DeviceID,
        on connection: StoreConnectionID?,
        into exchange: inout Exchange
    ) {
        self.exchange(on: connection, into: &exchange) { driverState, now, exchange in
            driverState.take(from: device, on: connection, now: now, &exchange) { driverState in
                driverState.decide(command, from: device, now: now)
            }
        }
    }

    @inline(__always)
    private func exchange(
        on connection: StoreConnectionID?,
        into exchange: inout Exchange,
        _ take: (inout SandboxDriverState, Date, inout Exchange) -> Void
    ) {
        let followUps = state.withLock { driverState in
            let now = clock.now
            take(&driverState, now, &exchange)
            if let connection { driverState.takeUpdates(of: connection, now: now, &exchange) }
            return driverState.takeFollowUps()
        }
        guard let followUps else { return }
        if followUps.alarm != nil || !followUps.rings.isEmpty { exchange.afterwards = { self.ring(followUps) } }
        let questions = followUps.questions
        if !questions.isEmpty { exchange.questions = { self.ask(questions) } }
    }

    func open(
        _ listener: any UpdateListener,
        from device: DeviceID,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        state.withLock { $0.open(listener, device, journal: journal, after: cursor) }
    }

    func close(_ connection: StoreConnectionID) {
        // Released without the lock.
        let closed = state.withLock { $0.close(connection) }
        withExtendedLifetime(closed) {}
    }

    /// Looks up products, in a device's language and the storefront's currency.
    func products(_ identifiers: Set<String>, for device: DeviceID) -> Result<ProductsAnswer, StoreFailure> {
        use { driverState, now in
            guard driverState.settings.isReachable(from: device) else { return .failure(Self.unreachable) }
            do { try driverState.refresh() } catch { return .failure(StoreFailure(ofStore: error)) }
            let locale = driverState.settings.locales[device] ?? driverState.settings.locale
            return .success(
                driverState.describe(identifiers, for: locale, in: driverState.state.catalog.storefront, at: now)
            )
        }
    }

    /// Returns whether an identifier is on sale now, or nil while the ledger cannot be read.
    func sells(_ productIdentifier: String) -> Bool? {
        use { driverState, now in
            do { try driverState.refresh() } catch { return nil }
            return driverState.state.catalog.onSale(productIdentifier, at: now) != nil
        }
    }

    func canMakePayments(on device: DeviceID) -> Bool {
        use { driverState, _ in
            try? driverState.refresh()
            return driverState.state.devices[device].mayPay
        }
    }

    static var unreachable: StoreFailure {
        .network(.notConnectedToInternet, "the sandbox store is set to be out of reach")
    }
}

/// The store's member in its clock's activity.
///
/// The clock references the port weakly, not the store, since a weak reference slows down every use of its object.
final class SandboxPort: ActivityMember {
    private let state: Locked<SandboxDriverState>
    private let clock: any StoreClock

    init(_ state: Locked<SandboxDriverState>, _ clock: any StoreClock) {
        self.state = state
        self.clock = clock
    }

    var pulse: (isQuiet: Bool, work: Int) { state.withLock { ($0.rings.isEmpty && $0.ringing == 0, $0.work) } }

    var retainable: (any ActivityPulse)? { self }

    func drainHere() -> Bool { false }

    func objection(toMovingTo moment: Date, from now: Date) -> String? {
        state.withLock { $0.state.objection(toMovingTo: moment, from: now, $0.settings.rules.renewalRate) }
    }

    var waitingFor: [String] {
        state.withLock { $0.questions(at: clock.now) }.map {
            "a decision about transaction \($0.transaction) for \($0.productIdentifier)"
        }
    }
}

/// The follow-up work of a change to a sandbox store, done once no lock is held.
struct SandboxFollowUps: Sendable {
    /// The time of the next alarm for the subscriptions.
    var alarm: Date?
    /// The listeners of the connections that have updates.
    var rings: [any UpdateListener]
    /// The orders to pass to the authorizer.
    var questions: [TransactionNumber]
}

extension SandboxDriverState {
    /// Takes the follow-up work; nil if there is none.
    mutating func takeFollowUps() -> SandboxFollowUps? {
        let alarm = nextAlarm()
        guard alarm != nil || !rings.isEmpty || !questions.isEmpty else { return nil }
        ringing += rings.count
        defer {
            rings = []
            questions = []
        }
        return SandboxFollowUps(alarm: alarm, rings: rings, questions: questions)
    }
}

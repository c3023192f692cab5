import Foundation
import Synchronization

/// What a sandbox store and its devices and accounts have in common: the state behind a lock, and how it is used.
final class SandboxCore: Sendable {
    let timekeeper: any Timekeeper
    let signer: any ReceiptSigner
    let bundleIdentifier: String
    let bundleVersion: String
    let shell: Locked<SandboxShell>
    let activity: Activity
    /// Where queues call.
    let lane: BackendLane
    /// Whether somebody wants to know what is sent to devices.
    let isTracing = Atomic(false)
    let content = Locked(ContentDesk())
    private let port: SandboxPort
    private let link = Link()

    /// The one weak reference to a core, so that an alarm need not make its own.
    private final class Link: @unchecked Sendable {  // unchecked: set once, before the core is known to anybody
        weak var core: SandboxCore?
        let alarms = Locked(Alarms())

        func ring(_ number: Int) {
            alarms.withLock { $0.rang(number) }
            core?.use { shell, now in shell.ring(now: now) }
        }
    }

    /// What a clock that goes on longer than the store is to forget.
    private struct Alarms: Sendable {
        private var lastNumber = 0
        /// Those that have not rung; without a token until the clock has given one.
        private var tokens: [Int: TimerToken?] = [:]

        mutating func add() -> Int {
            lastNumber += 1
            tokens.updateValue(nil, forKey: lastNumber)
            return lastNumber
        }

        /// It may have rung before its token came.
        mutating func keep(_ token: TimerToken, for number: Int) {
            if tokens.index(forKey: number) != nil { tokens.updateValue(token, forKey: number) }
        }

        mutating func rang(_ number: Int) { tokens.removeValue(forKey: number) }

        mutating func takeTokens() -> [TimerToken] {
            defer { tokens = [:] }
            return tokens.values.compactMap(\.self)
        }
    }

    init(
        shell: SandboxShell,
        timekeeper: any Timekeeper,
        signer: any ReceiptSigner,
        bundleIdentifier: String,
        bundleVersion: String
    ) {
        self.timekeeper = timekeeper
        self.signer = signer
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        lane = (shell.ledger as? any DurableLedger)?.lane ?? .caller
        self.shell = Locked(shell)
        activity = timekeeper.activity
        port = SandboxPort(self.shell, timekeeper)
        link.core = self
        activity.register(port)
        // What an earlier store on this ledger took in and did not live to ask about.
        for number in self.shell.withLock({ $0.state.unasked }) { ask(about: number) }
        use { _, _ in }
    }

    deinit {
        for token in link.alarms.withLock({ $0.takeTokens() }) { token.cancel() }
        for piece in content.withLock({ $0.cut(nil) }) { piece.timer?.cancel() }
    }
}

// MARK: - Doing something under the lock

extension SandboxCore {
    /// Does something under the lock, at a time read there, then sends what is to be sent.
    func use<R>(_ body: (inout SandboxShell, Date) throws -> R) rethrows -> R {
        try CallScope.outermost {
            var parcels: [SandboxShell.Parcel] = []
            var mustSend = false
            var alarm: Date?
            defer {
                if let alarm { set(alarm) }
                if mustSend { send(&parcels) }
            }
            return try shell.withLock { shell in
                defer {
                    mustSend = shell.outbox.scheduleAndBegin(&parcels)
                    alarm = shell.nextAlarm()
                }
                return try body(&shell, timekeeper.now)
            }
        }
    }

    /// Answers a question, with all that should have happened by now done.
    func look<R>(_ body: (SandboxShell, Date) throws -> R) rethrows -> R {
        try use { shell, now in
            shell.bringUpToDate(now)
            return try body(shell, now)
        }
    }

    /// Makes a change on behalf of the store's owner.
    func change(_ decide: (SandboxState, inout [LedgerRecord], Date) throws -> Void) throws {
        try use { shell, now in
            try shell.refresh()
            try shell.change(now: now) { shell in try shell.step { try decide($0, &$1, now) } }
        }
    }

    /// Asks the authoriser.
    func ask(about number: Int) {
        let (authoriser, question) = shell.withLock { shell in
            (shell.settings.authoriser, shell.question(about: number, at: timekeeper.now))
        }
        guard let question else { return }
        let answer = authoriser.body?(question) ?? .approve
        use { shell, now in
            shell.keep(shell.settings.rules.answer(for: answer), about: number)
            // What cannot be written now is written before anything else is.
            try? shell.catchUp(with: now)
        }
    }

    /// Has the clock ring when the next subscription is due.
    private func set(_ alarm: Date) {
        let number = link.alarms.withLock { $0.add() }
        let token = timekeeper.schedule(at: alarm) { [link] in link.ring(number) }
        link.alarms.withLock { $0.keep(token, for: number) }
    }
}

// MARK: - Taking in

extension SandboxCore {
    /// Takes a device's commands in.
    ///
    /// Replies before it returns; what the authoriser has to be asked is asked then.
    func submit(
        _ commands: [StoreCommand],
        from device: Int,
        reply: @escaping @Sendable (SubmissionReply) -> Void
    ) {
        CallScope.outermost {
            var parcels: [SandboxShell.Parcel] = []
            var mustSend = false
            var alarm: Date?
            let (answer, asks) = shell.withLock { shell -> (SubmissionReply, [Int]) in
                guard shell.settings.isReachable(from: device) else { return (.tryLater(Self.unreachable), []) }
                defer {
                    mustSend = shell.outbox.scheduleAndBegin(&parcels)
                    alarm = shell.nextAlarm()
                }
                do {
                    // Whether another store has appended meanwhile shows when this one does.
                    try shell.take(commands, from: device, now: timekeeper.now)
                    return (.taken, shell.newlyUndecided)
                } catch {
                    return (.tryLater(StoreFailure(error)), [])
                }
            }
            reply(answer)
            if let alarm { set(alarm) }
            if mustSend { send(&parcels) }
            for number in asks { ask(about: number) }
        }
    }

    /// Sends a device what is unfinished, then what changes; or what changed after a cursor.
    func connect(_ receiver: any StoreUpdateReceiver, from device: Int, after cursor: UpdateCursor?) {
        use { shell, now in
            guard shell.settings.isReachable(from: device) else {
                return shell.refuse(receiver, on: device, Self.unreachable)
            }
            do {
                // What can be read is told, even if what should have happened by now has to wait.
                try? shell.catchUp(with: now)
                try shell.refresh()
                shell.connect(receiver, device, after: cursor)
            } catch {
                shell.refuse(receiver, on: device, StoreFailure(error))
            }
        }
    }

    func disconnect(_ receiver: any StoreUpdateReceiver) { shell.withLock { $0.disconnect(receiver) } }

    /// Looks up products, in a device's language and the storefront's currency.
    func products(_ identifiers: Set<String>, for device: Int) -> Result<ProductsAnswer, StoreFailure> {
        use { shell, now in
            guard shell.settings.isReachable(from: device) else { return .failure(Self.unreachable) }
            do { try shell.refresh() } catch { return .failure(StoreFailure(error)) }
            let locale = shell.settings.locales[device] ?? shell.settings.locale
            return .success(shell.describe(identifiers, for: locale, in: shell.state.catalogue.storefront, at: now))
        }
    }

    /// Whether an identifier is on sale now; nil while the ledger cannot be read.
    func sells(_ productIdentifier: String) -> Bool? {
        use { shell, now in
            do { try shell.refresh() } catch { return nil }
            return shell.state.catalogue.onSale(productIdentifier, at: now) != nil
        }
    }

    func canMakePayments(on device: Int) -> Bool {
        use { shell, _ in
            try? shell.refresh()
            return shell.state.devices[device].mayPay
        }
    }

    static var unreachable: StoreFailure {
        .network(.notConnectedToInternet, "the sandbox store is set to be out of reach")
    }
}

// MARK: - Sending

extension SandboxCore {
    /// Sends these, and what comes into the outbox meanwhile, in order, until it is empty.
    private func send(_ parcels: inout [SandboxShell.Parcel]) {
        repeat {
            // From the end each can be moved out rather than copied.
            parcels.turnRound()
            while let parcel = parcels.popLast() { send(parcel) }
        } while shell.withLock { $0.outbox.take(&parcels) }
        activity.changed()
    }

    private func send(_ parcel: SandboxShell.Parcel) {
        switch parcel {
        case .batch(let receiver, let device, let batch):
            trace(batch, to: device)
            receiver.receive(batch)
        case .lost(let receiver, let device, let failure):
            trace(failure, to: device)
            receiver.connectionLost(failure)
        case .events(let receiver, let device, var position, let end):
            while position < end {
                let piece = shell.withLock { shell -> Result<UpdateBatch, any Error>? in
                    guard shell.isConnected(receiver) else { return nil }
                    return Result { try shell.piece(for: receiver, device, after: position, through: end) }
                }
                switch piece {
                case nil: return
                case .failure(let error)?:
                    shell.withLock { $0.disconnect(receiver) }
                    trace(StoreFailure(error), to: device)
                    return receiver.connectionLost(StoreFailure(error))
                case .success(let batch)?:
                    trace(batch, to: device)
                    receiver.receive(batch)
                    position = batch.through.position
                }
            }
        }
    }
}

/// What the store's clock knows it by.
///
/// Referred to weakly in the store's place, since a weak reference slows down every use of its object.
final class SandboxPort: ActivityMember {
    private let shell: Locked<SandboxShell>
    private let timekeeper: any Timekeeper

    init(_ shell: Locked<SandboxShell>, _ timekeeper: any Timekeeper) {
        self.shell = shell
        self.timekeeper = timekeeper
    }

    var pulse: (isQuiet: Bool, work: Int) { shell.withLock { ($0.outbox.isQuiet, $0.work) } }

    var keepable: (any ActivityPulse)? { self }

    func drainHere() -> Bool { false }

    func objection(toMovingTo moment: Date, from now: Date) -> String? {
        shell.withLock { $0.state.objection(toMovingTo: moment, from: now, $0.settings.rules.renewalRate) }
    }

    var waitingFor: [String] {
        shell.withLock { $0.questions(at: timekeeper.now) }.map {
            "a decision about transaction \($0.transaction) for \($0.productIdentifier)"
        }
    }
}

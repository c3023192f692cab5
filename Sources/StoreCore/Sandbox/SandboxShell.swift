import Foundation

/// What a sandbox store keeps under its lock: the state, the ledger it comes from, and who is to be told.
struct SandboxShell: Sendable {
    struct Settings: Sendable {
        var authoriser: Authoriser
        var locale: String
        var storefront: StoreStorefront?
        var isReachable = true
    }

    /// A queue that follows a device's updates.
    struct Connection: Sendable {
        let device: Int
        let receiver: any StoreUpdateReceiver
        /// Where the last batch for it ends that was put into the outbox.
        var told: Int
        /// How many events have been looked at for it.
        ///
        /// Those behind `told` do not concern it.
        var seen: Int

        init(_ device: Int, _ receiver: any StoreUpdateReceiver, at position: Int) {
            self.device = device
            self.receiver = receiver
            told = position
            seen = position
        }
    }

    /// What waits to be sent to one connection.
    enum Parcel: Sendable {
        case batch(any StoreUpdateReceiver, UpdateBatch)
        /// What these events mean; read from the ledger piece by piece when their turn comes.
        case events(any StoreUpdateReceiver, device: Int, after: Int, through: Int)
        case lost(any StoreUpdateReceiver, StoreFailure)
    }

    var settings: Settings
    private(set) var state: SandboxState
    var outbox = Outbox<Parcel>()
    private(set) var work = 0

    private let ledger: any Ledger
    private var connections: [Connection] = []
    /// The events of the change under way, or of the last one.
    private var fresh: [LedgerRecord] = []
    /// How many of those the state has taken in.
    private var applied = 0
    /// While the state holds what could be neither written nor taken back: the first transaction that may not exist.
    private var firstDoubtful: Int?
    /// What authorisers said that is not written yet, oldest first.
    private var answers: [(transaction: Int, answer: Authorisation)] = []

    /// More events than this are read back from the ledger rather than kept at hand.
    private static var maximumFresh: Int { 64 }
    private static var batchSize: Int { 256 }

    /// Continues a ledger, and registers what is not in it yet.
    init(products: [SandboxProduct], ledger: any Ledger, settings: Settings, now: Date) throws {
        // Says what is wrong with them before anything is written.
        _ = try Catalogue(products)
        self.ledger = ledger
        self.settings = settings
        state = SandboxState()
        try state.read(ledger)
        try change(now: now) { shell in
            try shell.step { state, events in
                for product in products where state.catalogue.product(product.identifier) != product {
                    events.append(LedgerRecord(date: now, event: .registered(product)))
                }
            }
        }
    }
}

// MARK: - Changes

extension SandboxShell {
    /// Makes a change: one append and one commit of all that the steps of `body` decide; then whoever it concerns is to
    /// be told.
    ///
    /// `body` begins anew if another store on the ledger was faster. If it cannot be made to last, nothing has changed,
    /// and the error is thrown.
    mutating func change(now: Date, _ body: (inout SandboxShell) throws -> Void) throws {
        try writeAnswers(now: now)
        try make(body)
    }

    /// One step of a change: it sees what the steps before it have decided.
    ///
    /// A step's events are taken in only when the next one begins, so that a change of one step, which is nearly every
    /// one, leaves the state as it is until it is written.
    mutating func step(_ decide: (borrowing SandboxState, inout [LedgerRecord]) throws -> Void) throws {
        applyFresh()
        try decide(state, &fresh)
    }

    /// The orders of the last change that somebody has to be asked about.
    var newlyUndecided: [Int] {
        fresh.compactMap { record in
            if case .ordered(let order) = record.event { order.transaction } else { nil }
        }
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

    /// Folds the whole ledger again.
    ///
    /// It costs what the history costs; but it happens only after several commands at once could not be written, and a
    /// second copy of the state to go back to would cost something all the time.
    private mutating func rebuild() throws {
        var whole = SandboxState()
        try whole.read(ledger)
        state = whole
        firstDoubtful = nil
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
    var questions: [AuthorisationRequest] {
        state.undecided.filter { $0 < firstDoubtful ?? .max }.compactMap { state.question(about: $0) }
    }

    /// Keeps what an authoriser said until it is written.
    mutating func keep(_ answer: Authorisation, about transaction: Int) { answers.append((transaction, answer)) }

    /// Writes what authorisers said.
    mutating func writeAnswers(now: Date) throws {
        if answers.isEmpty { return }
        try make { shell in
            for index in shell.answers.indices {
                let (transaction, answer) = shell.answers[index]
                try shell.step { $0.decide(transaction, answer, isFirstAnswer: true, now: now, &$1) }
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

// MARK: - Connections

extension SandboxShell {
    mutating func connect(_ receiver: any StoreUpdateReceiver, _ device: Int, after cursor: UpdateCursor?) {
        work &+= 1
        disconnect(receiver)
        if let cursor, cursor.part == nil, cursor.position <= state.position {
            connections.append(Connection(device, receiver, at: state.position))
            if cursor.position == state.position { return }
            let (after, through) = (cursor.position, state.position)
            outbox.append(.events(receiver, device: device, after: after, through: through))
            return
        }
        connections.append(Connection(device, receiver, at: state.position))
        let unfinished = state.unfinished(on: device)
        var after: UpdateCursor?
        var start = 0
        repeat {
            let end = min(unfinished.count, start + Self.batchSize)
            let part = end == unfinished.count ? nil : end / Self.batchSize
            let through = UpdateCursor(position: state.position, part: part)
            let updates = unfinished[start..<end].map { StoreUpdate.transaction($0) }
            outbox.append(.batch(receiver, UpdateBatch(after: after, through: through, updates: updates)))
            after = through
            start = end
        } while start < unfinished.count
    }

    /// Tells a receiver that it is not connected.
    mutating func refuse(_ receiver: any StoreUpdateReceiver, _ failure: StoreFailure) {
        disconnect(receiver)
        outbox.append(.lost(receiver, failure))
    }

    mutating func disconnect(_ receiver: any StoreUpdateReceiver) {
        connections.removeAll { $0.receiver === receiver }
    }

    func isConnected(_ receiver: any StoreUpdateReceiver) -> Bool { connections.contains { $0.receiver === receiver } }

    /// The user's devices lose the store, or have it again: every connection breaks and is made anew.
    mutating func breakConnections(_ failure: StoreFailure) {
        work &+= 1
        for connection in connections { outbox.append(.lost(connection.receiver, failure)) }
        connections = []
    }

    private mutating func tellConnections() {
        for index in connections.indices where connections[index].seen != state.position {
            let isAtHand =
                connections[index].seen + fresh.count == state.position && fresh.count <= Self.maximumFresh
            connections[index].seen = state.position
            let receiver = connections[index].receiver
            let device = connections[index].device
            let told = connections[index].told
            if isAtHand {
                var updates: [StoreUpdate] = []
                for record in fresh { add(record, for: receiver, device, to: &updates) }
                if updates.isEmpty { continue }
                let batch = UpdateBatch(
                    after: UpdateCursor(position: told),
                    through: UpdateCursor(position: state.position),
                    updates: updates
                )
                outbox.append(.batch(receiver, batch))
            } else {
                outbox.append(.events(receiver, device: device, after: told, through: state.position))
            }
            connections[index].told = state.position
        }
    }

    private func add(
        _ record: LedgerRecord,
        for receiver: any StoreUpdateReceiver,
        _ device: Int,
        to updates: inout [StoreUpdate]
    ) {
        state.addUpdates(from: record.event, for: device, journal: receiver.journal, to: &updates)
    }

    /// The next piece of what some events mean, and where it ends.
    func piece(for receiver: any StoreUpdateReceiver, _ device: Int, after: Int, through: Int) throws -> UpdateBatch {
        var position = after
        var updates: [StoreUpdate] = []
        while position < through, updates.count < Self.batchSize {
            let records = try ledger.read(after: position, limit: min(through - position, 64))
            if records.isEmpty {
                throw StoreFailure.storeKit(.unknown, "the ledger has no record after \(position), but had \(through)")
            }
            for record in records where updates.count < Self.batchSize {
                add(record, for: receiver, device, to: &updates)
                position += 1
            }
        }
        return UpdateBatch(
            after: UpdateCursor(position: after),
            through: UpdateCursor(position: position),
            updates: updates
        )
    }
}

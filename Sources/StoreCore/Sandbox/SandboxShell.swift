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
    private let emptyState: SandboxState
    private var connections: [Connection] = []
    /// The events of the change under way, all appended and applied.
    private var fresh: [LedgerRecord] = []
    private var buffer: [LedgerRecord] = []

    /// More events than this are read back from the ledger rather than kept at hand.
    private static var maximumFresh: Int { 64 }
    private static var batchSize: Int { 256 }

    /// Continues a ledger, and registers what is not in it yet.
    init(products: [SandboxProduct], ledger: any Ledger, settings: Settings, now: Date) throws {
        // Says what is wrong with them before anything is written.
        _ = try Catalogue(products)
        self.ledger = ledger
        self.settings = settings
        emptyState = SandboxState(catalogue: try Catalogue())
        state = emptyState
        try catchUp()
        try change { shell in
            try shell.append { state, events in
                for product in products where state.catalogue.product(product.identifier) != product {
                    events.append(LedgerRecord(date: now, event: .registered(product)))
                }
            }
        }
    }
}

// MARK: - Changes

extension SandboxShell {
    /// Makes a change: `body` appends what it decides, then all of it lasts and whoever it concerns is to be told.
    ///
    /// If it cannot be made to last, nothing has changed, and the error is thrown.
    mutating func change(_ body: (inout SandboxShell) throws -> Void) throws {
        work &+= 1
        fresh.empty()
        let start = state.position
        do {
            try body(&self)
            try ledger.commit()
        } catch {
            if state.position != start { try reload() }
            throw error
        }
        if state.position != start { tellConnections(from: start) }
    }

    /// Decides and appends until nobody else was faster, then applies.
    mutating func append(_ decide: (borrowing SandboxState, inout [LedgerRecord]) throws -> Void) throws {
        while true {
            buffer.empty()
            try decide(state, &buffer)
            if buffer.isEmpty { return }
            if try ledger.append(buffer, ifHeadIs: state.position) { break }
            try catchUp()
        }
        for record in buffer {
            state.apply(record)
            fresh.append(record)
        }
    }

    /// The orders of the change under way that somebody has to be asked about.
    var newlyUndecided: [Int] {
        fresh.compactMap { record in
            if case .ordered(let order) = record.event { order.transaction } else { nil }
        }
    }

    private mutating func catchUp() throws {
        while true {
            let records = try ledger.read(after: state.position, limit: 1024)
            for record in records { state.apply(record) }
            if records.count < 1024 { return }
        }
    }

    private mutating func reload() throws {
        state = emptyState
        try catchUp()
        for index in connections.indices {
            connections[index].told = min(connections[index].told, state.position)
            connections[index].seen = min(connections[index].seen, state.position)
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

    private mutating func tellConnections(from start: Int) {
        for index in connections.indices {
            let isAtHand =
                connections[index].seen == start && fresh.count == state.position - start
                && fresh.count <= Self.maximumFresh
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

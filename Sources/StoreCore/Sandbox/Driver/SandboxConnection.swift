import Foundation

/// A queue's connection to the updates of one of a sandbox store's devices.
///
/// The pending updates are, in order: the remainder of a snapshot, ``waiting``, and those for the records after
/// ``seen``.
struct SandboxConnection: Sendable {
    let id: StoreConnectionID
    let device: DeviceID
    let journal: JournalID
    let listener: any UpdateListener
    /// The cursor that the queue requested; nil once the connection has begun.
    ///
    /// Until the connection has begun, it stores no updates.
    var beginning: Beginning?
    var snapshot: Snapshot?
    /// The position that the next batch follows.
    var sentPosition = 0
    /// The number of events that have been examined.
    ///
    /// Examined events after `sentPosition` without an update in `waiting` do not concern the connection.
    var seen = 0
    /// The updates for the events from `sentPosition` to `seen`.
    var waiting: [StoreUpdate] = []
    /// The number of events after which an empty batch moves the queue's cursor, if no event concerns the connection.
    ///
    /// Without such a batch, each reconnection would examine the events again.
    static var stride: Int { 1024 }
    /// Whether events were skipped because another account signed in.
    ///
    /// The next batch is then empty and begins after the queue's cursor, so that the queue detects the gap and
    /// reconnects.
    var owesGap = false
    /// The reason why the store has closed the connection, until the queue has received it.
    var failure: Failure?
    /// Whether the listener has been notified, or is about to be, and has not fetched everything since.
    var isRung = false

    /// A failure, which is rare and large, stored indirectly.
    indirect enum Failure: Error { case because(StoreFailure) }

    /// The cursor that a queue requests.
    indirect enum Beginning: Sendable { case snapshot, after(UpdateCursor) }

    /// A snapshot with parts that have not been sent yet.
    struct Snapshot: Sendable {
        /// The position at which it was taken.
        let position: Int
        var transactions: [StoreTransaction]
        /// The updates that follow the transactions in the last part.
        var trailer: [StoreUpdate]
        var partsGiven = 0
    }

    init(
        id: StoreConnectionID,
        device: DeviceID,
        journal: JournalID,
        listener: any UpdateListener,
        after cursor: UpdateCursor?
    ) {
        self.id = id
        self.device = device
        self.journal = journal
        self.listener = listener
        beginning = cursor.map { .after($0) } ?? .snapshot
    }
}

// Inlined: otherwise each call would copy the connection.
extension SandboxConnection {
    /// Returns whether the connection has events up to a position to examine.
    @inline(__always)
    func isBehind(_ position: Int) -> Bool { seen != position && beginning == nil && failure == nil }

    @inline(__always)
    func hasUpdates(at position: Int) -> Bool {
        hasBatch || seen < position || owesGap || snapshot != nil || failure != nil
    }

    /// Whether there are updates, or so many events without updates that the cursor should move.
    @inline(__always)
    var hasBatch: Bool { !waiting.isEmpty || seen - sentPosition >= Self.stride }

    mutating func lose(_ failure: StoreFailure) {
        discardUpdates()
        self.failure = .because(failure)
    }

    mutating func skip(to position: Int) {
        discardUpdates()
        owesGap = true
        sentPosition = position
        seen = position
    }

    /// Goes back to a position, after the store has reverted events that could not be written.
    mutating func goBack(to position: Int) {
        sentPosition = min(sentPosition, position)
        if seen > position { lookAgain() }
    }

    /// Drops the waiting updates, so that they are computed again.
    mutating func lookAgain() {
        seen = sentPosition
        waiting = []
    }

    /// Moves the next part of the snapshot, if there is one, into a batch.
    mutating func takePart(_ batch: inout UpdateBatch) -> Bool {
        guard let part = snapshot?.nextPart() else { return false }
        if part.through.part == nil { snapshot = nil }
        batch = part
        return true
    }

    /// Moves the waiting updates, perhaps none, into an empty batch, if a batch is due.
    @inline(__always)
    mutating func takeWaiting(_ batch: inout UpdateBatch) -> Bool {
        if !hasBatch { return false }
        batch.after = UpdateCursor(position: sentPosition)
        batch.through = UpdateCursor(position: seen)
        sentPosition = seen
        swap(&batch.updates, &waiting)
        return true
    }

    private mutating func discardUpdates() {
        snapshot = nil
        waiting = []
    }
}

extension SandboxConnection.Snapshot {
    private static var partSize: Int { 256 }

    /// Drops the matching transactions that have not been sent.
    mutating func dropUnsent(where isDropped: (StoreTransaction) -> Bool) {
        let given = min(transactions.count, partsGiven * Self.partSize)
        transactions[given...].removeAll(where: isDropped)
    }

    /// Returns the next part.
    ///
    /// The cursor of the last part follows the whole snapshot.
    mutating func nextPart() -> UpdateBatch {
        let start = partsGiven * Self.partSize
        let end = min(transactions.count, start + Self.partSize)
        let after = partsGiven == 0 ? nil : UpdateCursor(position: position, part: partsGiven)
        partsGiven += 1
        var updates = transactions[start..<end].map { StoreUpdate.transaction($0) }
        let isLast = end == transactions.count
        if isLast { updates += trailer }
        let through = UpdateCursor(position: position, part: isLast ? nil : partsGiven)
        return UpdateBatch(after: after, through: through, updates: updates)
    }
}

// The connections: the pending updates of each, and the listeners to notify.
extension SandboxDriverState {
    /// The maximum number of updates stored for a connection that is not fetching; more are read back from the ledger.
    private static var maximumWaiting: Int { 64 }
    private static var batchSize: Int { 256 }

    mutating func open(
        _ listener: any UpdateListener,
        _ device: DeviceID,
        journal: JournalID,
        after cursor: UpdateCursor?
    ) -> StoreConnectionID {
        lastConnection += 1
        let id = StoreConnectionID(rawValue: lastConnection)
        connections.append(
            SandboxConnection(id: id, device: device, journal: journal, listener: listener, after: cursor)
        )
        return id
    }

    /// Removes a connection, and returns it to be released without the lock.
    mutating func close(_ id: StoreConnectionID) -> SandboxConnection? {
        index(of: id).map { connections.remove(at: $0) }
    }

    /// Returns the index of a connection by binary search, since connections are in the order of their identifiers.
    // Inlined: otherwise the call would copy the whole driver state.
    @inline(__always)
    func index(of id: StoreConnectionID) -> Int? {
        var low = 0
        var high = connections.count
        while low < high {
            let middle = (low + high) / 2
            if connections[middle].id < id { low = middle + 1 } else { high = middle }
        }
        return low < connections.count && connections[low].id == id ? low : nil
    }

    /// Closes the connections of a device, or of all devices: their queues lose the store, and reconnect.
    mutating func breakConnections(of device: DeviceID? = nil, _ failure: StoreFailure) {
        work &+= 1
        // A connection that has not begun receives the failure when it begins.
        for index in connections.indices
        where connections[index].beginning == nil && (device == nil || connections[index].device == device) {
            connections[index].lose(failure)
            ring(index)
        }
    }

    /// Computes each connection's updates for the last change.
    mutating func updateConnections() {
        if settings.rules.hasQuirks { concealFresh() }
        if !historyRings.isEmpty { ringHistory() }
        for index in connections.indices where mayUpdate(index, fresh.count) {
            let (device, journal) = (connections[index].device, connections[index].journal)
            // Moved out, because `add` uses the driver state.
            var waiting: [StoreUpdate] = []
            swap(&waiting, &connections[index].waiting)
            for number in fresh.indices { add(fresh[number].event, for: device, journal, to: &waiting) }
            swap(&waiting, &connections[index].waiting)
            didUpdate(index)
        }
    }

    /// Computes each connection's updates for a change of one record.
    @inline(never)
    mutating func updateConnections(of record: LedgerRecord) {
        if settings.rules.hasQuirks { concealFresh() }
        if !historyRings.isEmpty { ringHistory() }
        for index in connections.indices where mayUpdate(index, 1) {
            let (device, journal) = (connections[index].device, connections[index].journal)
            var waiting: [StoreUpdate] = []
            swap(&waiting, &connections[index].waiting)
            add(record.event, for: device, journal, to: &waiting)
            swap(&waiting, &connections[index].waiting)
            didUpdate(index)
        }
    }

    /// Returns whether a connection's updates for a number of new records can be computed from memory.
    ///
    /// Otherwise, this method has notified the connection, unless it has nothing to examine.
    @inline(__always)
    private mutating func mayUpdate(_ index: Int, _ count: Int) -> Bool {
        guard connections[index].isBehind(state.position) else { return false }
        if state.devices[connections[index].device].start > connections[index].sentPosition {
            connections[index].skip(to: state.position)
        } else if connections[index].seen + count == state.position,
            connections[index].id == asking || connections[index].waiting.count + count <= Self.maximumWaiting
        {
            return true
        }
        ring(index)
        return false
    }

    @inline(__always)
    private mutating func didUpdate(_ index: Int) {
        connections[index].seen = state.position
        if connections[index].hasBatch { ring(index) }
    }

    /// Notifies each connection that has pending updates.
    mutating func ringAll() {
        for index in connections.indices
        where connections[index].beginning == nil && connections[index].hasUpdates(at: state.position) { ring(index) }
    }

    @inline(__always)
    private mutating func ring(_ index: Int) {
        guard !connections[index].isRung, connections[index].id != asking else { return }
        connections[index].isRung = true
        rings.append(connections[index].listener)
    }

    // Mutating though it changes nothing: otherwise the driver state would be copied.
    @inline(__always)
    private mutating func add(
        _ event: StoreEvent,
        for device: DeviceID,
        _ journal: JournalID,
        to updates: inout [StoreUpdate]
    ) {
        switch event {
        case .sold(let order) where order.device == device:
            state.addTransaction(order.transaction, for: device, to: &updates)
        case .finished(let finish) where finish.command.journal == journal: break
        default: addRare(event, for: device, journal, to: &updates)
        }
    }

    @inline(never)
    private mutating func addRare(
        _ event: StoreEvent,
        for device: DeviceID,
        _ journal: JournalID,
        to updates: inout [StoreUpdate]
    ) {
        if case .operator(.promoted(device, let product)) = event, let promotion = promotion(of: product, on: device) {
            updates.append(promotion)
        } else {
            state.addUpdates(from: event, for: device, journal: journal, to: &updates)
        }
    }
}

// MARK: - Updates

extension SandboxDriverState {
    /// Moves a connection's pending updates into an exchange.
    mutating func takeUpdates(of id: StoreConnectionID, now: Date, _ exchange: inout Exchange) {
        guard let index = index(of: id) else { return }
        if connections[index].beginning != nil {
            begin(index, now: now)
        } else if firstDoubtful != nil, !isSure() {
            // The connection is notified once the state matches the ledger.
            return connections[index].isRung = false
        }
        do {
            if try takeBatch(index, &exchange.batch) { exchange.updates = .batch }
            exchange.hasMore = connections[index].hasUpdates(at: state.position)
            connections[index].isRung = exchange.hasMore
        } catch {
            exchange.updates = .lost(error)
        }
        if deliveries != nil { trace(exchange, to: connections[index].device, now: now) }
        if case .lost = exchange.updates { connections.remove(at: index) }
    }

    private mutating func begin(_ index: Int, now: Date) {
        work &+= 1
        let device = connections[index].device
        let beginning = connections[index].beginning
        // The connection begins only at the end, so that the work below stores no updates for it.
        defer { connections[index].beginning = nil }
        do {
            guard settings.isReachable(from: device) else { throw SandboxDriver.unreachable }
            // Readable updates are sent, even if due work has to wait.
            try? catchUp(with: now)
            try refresh()
        } catch {
            return connections[index].lose(StoreFailure(ofStore: error))
        }
        connections[index].seen = state.position
        connections[index].sentPosition = state.position
        if case .after(let cursor) = beginning, cursor.part == nil, cursor.position <= state.position,
            cursor.position >= state.devices[device].start
        {
            connections[index].seen = cursor.position
            connections[index].sentPosition = cursor.position
        } else {
            connections[index].snapshot = SandboxConnection.Snapshot(
                position: state.position,
                transactions: state.unfinished(on: device),
                trailer: state.revocations(on: device) + promotions(on: device)
            )
        }
    }

    /// Moves the next updates of a connection into an empty batch.
    ///
    /// Returns false if there are none.
    @inline(__always)
    private mutating func takeBatch(_ index: Int, _ batch: inout UpdateBatch) throws(StoreFailure) -> Bool {
        if !connections[index].hasUpdates(at: state.position) { return false }
        if try takeRareBatch(index, &batch) { return true }
        return connections[index].takeWaiting(&batch)
    }

    private mutating func takeRareBatch(_ index: Int, _ batch: inout UpdateBatch) throws(StoreFailure) -> Bool {
        if case .because(let failure) = connections[index].failure { throw failure }
        if connections[index].owesGap {
            connections[index].owesGap = false
            let here = UpdateCursor(position: connections[index].sentPosition)
            batch = UpdateBatch(after: here, through: here, updates: [])
            return true
        }
        if connections[index].snapshot != nil { return takePart(index, &batch) }
        // A deletion causes no update, so the waiting updates are computed again after any change to existing
        // purchases.
        if state.lastPurchaseChange ?? 0 > connections[index].sentPosition { connections[index].lookAgain() }
        if connections[index].waiting.isEmpty {
            do { try readAhead(index) } catch { throw StoreFailure(ofStore: error) }
        }
        return false
    }

    /// Moves the next part of a snapshot into a batch, without transactions deleted since it was taken.
    // Kept apart from the code that runs for each purchase.
    @inline(never)
    private mutating func takePart(_ index: Int, _ batch: inout UpdateBatch) -> Bool {
        if let position = connections[index].snapshot?.position, state.lastPurchaseChange ?? 0 > position {
            dropDeleted(index, since: position)
        }
        return connections[index].takePart(&batch)
    }

    private mutating func dropDeleted(_ index: Int, since position: Int) {
        connections[index].snapshot?.dropUnsent { transaction in
            TransactionNumber(transaction.identifier).map { state.transactions[$0] == nil } ?? true
        }
        if state.revocations.isForgotten(at: position) {
            connections[index].snapshot?.trailer.removeAll(where: \.isRevocation)
        }
    }

    /// Reads the ledger's next records, and computes a connection's updates for them.
    ///
    /// The number of records is limited, since the store is locked while they are read.
    private mutating func readAhead(_ index: Int) throws {
        let (device, journal) = (connections[index].device, connections[index].journal)
        var position = connections[index].seen
        let end = min(state.position, connections[index].sentPosition + SandboxConnection.stride)
        var updates: [StoreUpdate] = []
        while position < end, updates.count < Self.batchSize {
            let next = try records.read(after: position, limit: min(end - position, 64))
            if next.isEmpty {
                throw StoreFailure.storeKit(
                    .unknown,
                    "the ledger has no record after \(position), but had \(state.position)"
                )
            }
            for record in next where updates.count < Self.batchSize {
                let known = updates.count
                add(record.event, for: device, journal, to: &updates)
                position += 1
                if state.revocations.isForgotten(at: position) { updates[known...].removeAll(where: \.isRevocation) }
            }
        }
        connections[index].seen = position
        connections[index].waiting = updates
    }
}

extension StoreUpdate {
    fileprivate var isRevocation: Bool { if case .revoked = self { true } else { false } }
}

import Foundation

// Who follows a device's updates, and what they are sent.
extension SandboxShell {
    /// More events than this are read back from the ledger rather than kept at hand.
    private static var maximumFresh: Int { 64 }
    private static var batchSize: Int { 256 }

    mutating func connect(_ receiver: any StoreUpdateReceiver, _ device: Int, after cursor: UpdateCursor?) {
        work &+= 1
        disconnect(receiver)
        if let cursor, cursor.part == nil, cursor.position <= state.position,
            cursor.position >= state.devices[device].start
        {
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
            var updates = unfinished[start..<end].map { StoreUpdate.transaction($0) }
            if part == nil { updates += state.revocations(on: device) + promotions(on: device) }
            let batch = UpdateBatch(after: after, through: through, updates: updates)
            outbox.append(.batch(receiver, device: device, batch))
            after = through
            start = end
        } while start < unfinished.count
    }

    /// Tells a receiver that it is not connected.
    mutating func refuse(_ receiver: any StoreUpdateReceiver, on device: Int, _ failure: StoreFailure) {
        disconnect(receiver)
        outbox.append(.lost(receiver, device: device, failure))
    }

    mutating func disconnect(_ receiver: any StoreUpdateReceiver) {
        connections.removeAll { $0.receiver === receiver }
    }

    func isConnected(_ receiver: any StoreUpdateReceiver) -> Bool { connections.contains { $0.receiver === receiver } }

    /// The user's devices lose the store, or have it again: every connection breaks and is made anew.
    mutating func breakConnections(of device: Int? = nil, _ failure: StoreFailure) {
        work &+= 1
        connections.removeAll { connection in
            guard device == nil || connection.device == device else { return false }
            outbox.append(.lost(connection.receiver, device: connection.device, failure))
            return true
        }
    }

    /// Puts what the last change means to each connection into the outbox.
    mutating func tellConnections() {
        for index in connections.indices where connections[index].seen != state.position {
            let (device, journal) = (connections[index].device, connections[index].journal)
            let (seen, told) = (connections[index].seen, connections[index].told)
            connections[index].seen = state.position
            if state.devices[device].start > told {
                // Somebody else is signed in: a gap makes the queue ask for what is theirs.
                let here = UpdateCursor(position: state.position)
                let gap = UpdateBatch(after: here, through: here, updates: [])
                outbox.append(.batch(connections[index].receiver, device: device, gap))
            } else if seen + fresh.count == state.position, fresh.count <= Self.maximumFresh {
                var updates: [StoreUpdate] = []
                for number in fresh.indices { add(fresh[number].event, for: device, journal, to: &updates) }
                if updates.isEmpty { continue }
                let batch = UpdateBatch(
                    after: UpdateCursor(position: told),
                    through: UpdateCursor(position: state.position),
                    updates: updates
                )
                outbox.append(.batch(connections[index].receiver, device: device, batch))
            } else {
                let receiver = connections[index].receiver
                outbox.append(.events(receiver, device: device, after: told, through: state.position))
            }
            connections[index].told = state.position
        }
    }

    private func add(_ event: StoreEvent, for device: Int, _ journal: JournalID, to updates: inout [StoreUpdate]) {
        if case .owner(.promoted(device, let product)) = event, let promotion = promotion(of: product, on: device) {
            updates.append(promotion)
        } else {
            state.addUpdates(from: event, for: device, journal: journal, to: &updates)
        }
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
                let known = updates.count
                add(record.event, for: device, receiver.journal, to: &updates)
                position += 1
                if state.revocations.isForgotten(at: position) { updates[known...].removeAll(where: \.isRevocation) }
            }
        }
        return UpdateBatch(
            after: UpdateCursor(position: after),
            through: UpdateCursor(position: position),
            updates: updates
        )
    }
}

extension StoreUpdate {
    fileprivate var isRevocation: Bool {
        if case .revoked = self { true } else { false }
    }
}

import Foundation
import StoreContract
import StoreCore
import TestSupport

extension Fault {
    static let ofUpdates: [Fault] = [
        // Turns around what it sends at once.
        .batches("ReversesBatches", .commandsInOrder, .statesInOrder, .oldestFirst, .cursorResumes) {
            [$0.after == nil ? $0 : $0.replacing($0.updates.reversed())]
        }
        // What several threads led to may come together, and is turned around together.
        .perhaps(.unfinishedShown),
        // Sends the second batch before the first.
        .batches("SwapsBatches", .chain, .cursorResumes) { batch in
            guard let after = batch.after, after.part == nil, batch.updates.count > 1 else { return [batch] }
            let middle = UpdateCursor(position: after.position + 1)
            guard middle < batch.through else { return [batch] }
            return [
                UpdateBatch(after: middle, through: batch.through, updates: Array(batch.updates.dropFirst())),
                UpdateBatch(after: after, through: middle, updates: Array(batch.updates.prefix(1))),
            ]
        },
        // Does not count what has changed.
        .batches("StandsStill", .chain) { batch in
            guard let after = batch.after, after.part == nil, let last = batch.updates.last else { return [batch] }
            return [
                batch.replacing(batch.updates.dropLast()),
                UpdateBatch(after: batch.through, through: batch.through, updates: [last]),
            ]
        },
        // Leaves an empty snapshot out.
        .batches("SaysNothingWithoutUnfinished", .snapshotFirst) { $0.updates.isEmpty ? [] : [$0] },
        // Begins to count a snapshot's parts at the wrong end.
        .batches("CountsPartsFromTwo", .snapshotFirst) { batch in
            var batch = batch
            if let part = batch.after?.part { batch.after?.part = part + 1 }
            if let part = batch.through.part { batch.through.part = part + 1 }
            return [batch]
        }
        .withCrowd(600),
        Fault(SendsFromEveryThread.self, .oneAtATime).withPatience(seconds: 5),
        // Thinks that a failed transaction needs no finish.
        .transactions("ForgetsFailed", .unfinishedShown) { transaction, isSnapshot in
            isSnapshot && transaction.state == .failed ? [] : [transaction]
        },
        // Thinks that an order is a transaction once it is decided.
        .transactions("ForgetsWhatWaits", .unfinishedShown) { transaction, isSnapshot in
            isSnapshot && transaction.state == .deferred ? [] : [transaction]
        },
        // Takes orders, and looks at them five seconds later by its clock.
        .submissions("TakesLater", .unfinishedShown) { spoilt, commands, reply in
            spoilt.clock.schedule(at: spoilt.clock.now + 5) { spoilt.store.submit(commands) { _ in } }
            reply(.taken)
        },
        Fault(ForgetsWhenReopened.self, .unfinishedShown),
        // Shows the newest first.
        .batches("NewestFirst", .oldestFirst) { [$0.after == nil ? $0.replacing($0.updates.reversed()) : $0] },
        Fault(LosesTheCursor.self, .cursorResumes, .noticesTold),
        Fault(RemembersTooMuch.self, .cursorResumes),
        Fault(FollowsAnyCursor.self, .cursorResumes),
        Fault(LosesTheRestOfASnapshot.self, .cursorResumes).withCrowd(600),
        Fault(GoesDeaf.self, .nothingForgotten, .ordersEnd),
        Fault(ConnectsOnce.self, .beginsAgain),
        Fault(NeverDisconnects.self, .disconnectStops, .receiversReleased),
        // Where its receiver connects again, the tasks of both connections may call it at the same time.
        Fault(IgnoresCancellation.self, .disconnectStops, .receiversReleased) { IgnoresCancellation(store: $0) }
            .perhaps(.oneAtATime),
        Fault(DisconnectsEverybody.self, .disconnectsAlone),
        Fault(HoldsALock.self, .callsFromWithin).within(seconds: 15),
        Fault(KeepsReceivers.self, .receiversReleased),
        Fault(ForgetsWhatIsAcknowledged.self, .acknowledgingForgetsNothing),
        Fault(ShowsFinished.self, .finishedGone),
        Fault(RevivesFinished.self, .finishedGone),
        // Takes finishes, and looks at them five seconds later by its clock.
        .submissions("FinishesLater", .finishedGone) { spoilt, commands, reply in
            let areFinishes = commands.allSatisfy { if case .finish = $0.action { true } else { false } }
            guard areFinishes else { return spoilt.store.submit(commands, reply: reply) }
            spoilt.clock.schedule(at: spoilt.clock.now + 5) { spoilt.store.submit(commands) { _ in } }
            reply(.taken)
        },
        // Does not say that something was finished.
        .batches("KeepsFinishesToItself", .finishTold) {
            [$0.replacing($0.updates.filter { if case .finished = $0 { false } else { true } })]
        },
        // Says that something was finished, and not which order led to it.
        .batches("FinishesWithoutOrder", .finishTold) { batch in
            let updates = batch.updates.map { update -> StoreUpdate in
                guard case .finished(let identifier, _) = update else { return update }
                return .finished(transaction: identifier, order: nil)
            }
            return [batch.replacing(updates)]
        },
    ]
}

/// Repeats what it sent last on whichever thread submits.
private final class SendsFromEveryThread: SpoiltStore, @unchecked Sendable {
    private let last = Locked<(any StoreUpdateReceiver, UpdateBatch)?>(nil)

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        last.withLock { $0 = (receiver, batch) }
        return [batch]
    }

    override func disconnect(_ receiver: any StoreUpdateReceiver) {
        last.withLock { if $0?.0 === receiver { $0 = nil } }
        super.disconnect(receiver)
    }

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        if let (receiver, batch) = last.withLock({ $0 }) { receiver.receive(batch) }
        store.submit(commands, reply: reply)
    }
}

/// Has nothing unfinished when it is opened again.
private final class ForgetsWhenReopened: SpoiltStore, @unchecked Sendable {
    private let before: Set<String>

    required init(_ store: SandboxStore) {
        before = Set((try? store.transactions.map(\.id)) ?? [])
        super.init(store)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard batch.isSnapshot else { return [batch] }
        let updates = batch.updates.filter {
            if case .transaction(let transaction) = $0 { !before.contains(transaction.identifier) } else { true }
        }
        return [batch.replacing(updates)]
    }
}

/// Waits for what comes behind a place that it never came to.
private final class FollowsAnyCursor: SpoiltStore, @unchecked Sendable {
    private let ahead = Locked<Set<ObjectIdentifier>>([])
    private let last = Locked(0)

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        let isAhead = cursor.map { $0.position > last.withLock { $0 } + 500 } ?? false
        ahead.withLock { ahead in
            if isAhead { ahead.insert(ObjectIdentifier(receiver)) } else { ahead.remove(ObjectIdentifier(receiver)) }
        }
        super.connect(receiver, after: cursor)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        last.withLock { $0 = max($0, batch.through.position) }
        return ahead.withLock { $0.contains(ObjectIdentifier(receiver)) } ? [] : [batch]
    }
}

/// Goes on behind a part of a snapshot with what changes then.
private final class LosesTheRestOfASnapshot: SpoiltStore, @unchecked Sendable {
    private let cut = Locked<[ObjectIdentifier: UpdateCursor]>([:])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        cut.withLock { $0[ObjectIdentifier(receiver)] = cursor?.part == nil ? nil : cursor }
        super.connect(receiver, after: cursor)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard let cursor = cut.withLock({ $0[ObjectIdentifier(receiver)] }) else { return [batch] }
        guard batch.through.part == nil else { return [] }
        cut.withLock { $0[ObjectIdentifier(receiver)] = nil }
        return [UpdateBatch(after: cursor, through: UpdateCursor(position: cursor.position), updates: [])]
    }
}

/// Sends to a connection for a while, and does not say that it stopped.
private final class GoesDeaf: SpoiltStore, @unchecked Sendable {
    private let counts = Locked<[ObjectIdentifier: Int]>([:])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        counts.withLock { $0[ObjectIdentifier(receiver)] = 0 }
        super.connect(receiver, after: cursor)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        counts.withLock { counts in
            counts[ObjectIdentifier(receiver), default: 0] += 1
            return counts[ObjectIdentifier(receiver), default: 0] > 12 ? [] : [batch]
        }
    }
}

/// Goes on sending from a task that was canceled.
private struct IgnoresCancellation: AsyncStoreBackend, AsyncStorefrontService {
    let store: SandboxStore

    var clock: any StoreClock { store.clock }
    var storefront: StoreStorefront? { store.storefront }

    func submit(_ commands: [StoreCommand]) async throws { try await AsyncSandbox(store: store).submit(commands) }

    func sendUpdates(after cursor: UpdateCursor?, to feed: UpdateFeed) async throws {
        store.connect(Direct(feed), after: cursor)
        await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
    }

    func acknowledge(through cursor: UpdateCursor) async { store.acknowledge(through: cursor) }

    func products(_ identifiers: Set<String>) async throws -> ProductsAnswer {
        try await AsyncSandbox(store: store).products(identifiers)
    }

    private final class Direct: StoreUpdateReceiver {
        private let feed: UpdateFeed

        init(_ feed: UpdateFeed) { self.feed = feed }

        var journal: JournalID { feed.journal }
        func receive(_ batch: UpdateBatch) { feed.send(batch) }
        func connectionLost(_ failure: StoreFailure) {}
    }
}

/// Ends every connection with the second disconnection of one.
private final class DisconnectsEverybody: SpoiltStore, @unchecked Sendable {
    private let receivers = Locked<[any StoreUpdateReceiver]>([])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        receivers.withLock { receivers in
            if !receivers.contains(where: { $0 === receiver }) { receivers.append(receiver) }
        }
        super.connect(receiver, after: cursor)
    }

    override func disconnect(_ receiver: any StoreUpdateReceiver) {
        let ended = receivers.withLock { receivers in
            let isKnown = receivers.contains { $0 === receiver }
            let ended = isKnown ? [receiver] : receivers
            receivers.removeAll { receiver in ended.contains { $0 === receiver } }
            return ended
        }
        for receiver in ended { super.disconnect(receiver) }
    }
}

/// Sends with its lock held.
private final class HoldsALock: SpoiltStore, @unchecked Sendable {
    private let lock = NSLock()

    override func deliver(_ batch: UpdateBatch, to receiver: any StoreUpdateReceiver) {
        lock.withLock { receiver.receive(batch) }
    }

    override func disconnect(_ receiver: any StoreUpdateReceiver) { lock.withLock { super.disconnect(receiver) } }
}

/// Remembers everybody who ever connected.
private final class KeepsReceivers: SpoiltStore, @unchecked Sendable {
    private let receivers = Locked<[any StoreUpdateReceiver]>([])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        receivers.withLock { $0.append(receiver) }
        super.connect(receiver, after: cursor)
    }
}

/// Goes on with whatever comes next, wherever the receiver was.
private final class LosesTheCursor: SpoiltStore, @unchecked Sendable {
    private let lost = Locked<Set<ObjectIdentifier>>([])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        _ = lost.withLock { lost in
            if cursor == nil {
                lost.remove(ObjectIdentifier(receiver)) == nil
            } else {
                lost.insert(ObjectIdentifier(receiver)).inserted
            }
        }
        super.connect(receiver, after: nil)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        batch.isSnapshot && lost.withLock { $0.contains(ObjectIdentifier(receiver)) } ? [] : [batch]
    }
}

/// Tells everything again, as if it had come after the cursor.
private final class RemembersTooMuch: SpoiltStore, @unchecked Sendable {
    private let cursors = Locked<[ObjectIdentifier: UpdateCursor]>([:])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        cursors.withLock { $0[ObjectIdentifier(receiver)] = cursor }
        super.connect(receiver, after: cursor.map { _ in UpdateCursor(position: 0) })
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        let cursor = cursors.withLock { $0.removeValue(forKey: ObjectIdentifier(receiver)) }
        guard let cursor else { return [batch] }
        return [UpdateBatch(after: cursor, through: max(batch.through, cursor), updates: batch.updates)]
    }
}

/// Does nothing for a receiver that is connected.
private final class ConnectsOnce: SpoiltStore, @unchecked Sendable {
    private let connected = Locked<Set<ObjectIdentifier>>([])

    override func connect(_ receiver: any StoreUpdateReceiver, after cursor: UpdateCursor?) {
        guard connected.withLock({ $0.insert(ObjectIdentifier(receiver)).inserted }) else { return }
        super.connect(receiver, after: cursor)
    }

    override func disconnect(_ receiver: any StoreUpdateReceiver) {
        _ = connected.withLock { $0.remove(ObjectIdentifier(receiver)) }
        super.disconnect(receiver)
    }
}

/// Goes on sending.
private final class NeverDisconnects: SpoiltStore, @unchecked Sendable {
    override func disconnect(_ receiver: any StoreUpdateReceiver) {}
}

/// Takes an acknowledged update for a finished transaction.
private final class ForgetsWhatIsAcknowledged: SpoiltStore, @unchecked Sendable {
    private let position = Locked(0)

    override func acknowledge(through cursor: UpdateCursor) {
        position.withLock { $0 = cursor.position }
        super.acknowledge(through: cursor)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        let isForgotten = batch.after == nil && batch.through.position <= position.withLock { $0 }
        return [isForgotten ? batch.replacing([]) : batch]
    }
}

/// Shows in snapshots what is finished.
private final class ShowsFinished: SpoiltStore, @unchecked Sendable {
    private let known = Locked<[StoreTransaction]>([])

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        known.withLock { known in
            let shown = batch.updates.compactMap { if case .transaction(let shown) = $0 { shown } else { nil } }
            for transaction in shown where transaction.state.isResult && !known.contains(transaction) {
                known.append(transaction)
            }
            guard batch.after == nil else { return [batch] }
            let finished = known.filter { !shown.contains($0) }
            return [batch.replacing(finished.map { .transaction($0) } + batch.updates)]
        }
    }
}

extension StoreTransaction.State {
    fileprivate var isResult: Bool { self == .purchased || self == .failed || self == .restored }
}

/// Brings back what is finished when anything else changes.
private final class RevivesFinished: SpoiltStore, @unchecked Sendable {
    private let sold = Locked<StoreTransaction?>(nil)

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard batch.after != nil else { return [batch] }
        return sold.withLock { sold in
            let old = sold
            for case .transaction(let transaction) in batch.updates where transaction.state == .purchased {
                sold = sold ?? transaction
            }
            return [batch.replacing(batch.updates + (old.map { [.transaction($0)] } ?? []))]
        }
    }
}

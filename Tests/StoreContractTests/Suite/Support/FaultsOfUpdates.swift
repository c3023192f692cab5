import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofUpdates: [Fault] = [
        Fault(
            ReversesBatches.self,
            .commandsInOrder,
            .statesInOrder,
            .oldestFirst,
            .cursorResumes
        )
        // What several threads led to may come together, and is turned around together.
        .perhaps(.unfinishedShown),
        Fault(SwapsBatches.self, .chain, .cursorResumes),
        Fault(StandsStill.self, .chain),
        Fault(SaysNothingWithoutUnfinished.self, .snapshotFirst),
        Fault(CountsPartsFromTwo.self, .snapshotFirst).withCrowd(600),
        Fault(SendsFromEveryThread.self, .oneAtATime).withPatience(seconds: 5),
        Fault(ForgetsFailed.self, .unfinishedShown),
        Fault(NewestFirst.self, .oldestFirst),
        Fault(LosesTheCursor.self, .cursorResumes),
        Fault(RemembersTooMuch.self, .cursorResumes),
        Fault(ConnectsOnce.self, .beginsAgain),
        Fault(NeverDisconnects.self, .disconnectStops),
        Fault(ForgetsWhatIsAcknowledged.self, .acknowledgingForgetsNothing),
        Fault(ShowsFinished.self, .finishedGone),
        Fault(RevivesFinished.self, .finishedGone),
        Fault(KeepsFinishesToItself.self, .finishTold),
    ]
}

/// Turns around what it sends at once.
private final class ReversesBatches: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.after == nil ? batch : batch.replacing(batch.updates.reversed())]
    }
}

/// Sends the second batch before the first.
private final class SwapsBatches: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard let after = batch.after, after.part == nil, batch.updates.count > 1 else { return [batch] }
        let middle = UpdateCursor(position: after.position + 1)
        guard middle < batch.through else { return [batch] }
        return [
            UpdateBatch(after: middle, through: batch.through, updates: Array(batch.updates.dropFirst())),
            UpdateBatch(after: after, through: middle, updates: Array(batch.updates.prefix(1))),
        ]
    }
}

/// Does not count what has changed.
private final class StandsStill: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        guard let after = batch.after, after.part == nil, let last = batch.updates.last else { return [batch] }
        return [
            batch.replacing(batch.updates.dropLast()),
            UpdateBatch(after: batch.through, through: batch.through, updates: [last]),
        ]
    }
}

/// Leaves an empty snapshot out.
private final class SaysNothingWithoutUnfinished: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        batch.updates.isEmpty ? [] : [batch]
    }
}

/// Begins to count a snapshot's parts at the wrong end.
private final class CountsPartsFromTwo: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        var batch = batch
        if let part = batch.after?.part { batch.after?.part = part + 1 }
        if let part = batch.through.part { batch.through.part = part + 1 }
        return [batch]
    }
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

/// Thinks that a failed transaction needs no finish.
private final class ForgetsFailed: SpoiltTransactions, @unchecked Sendable {
    override func spoil(_ transaction: StoreTransaction, isSnapshot: Bool) -> [StoreTransaction] {
        isSnapshot && transaction.state == .failed ? [] : [transaction]
    }
}

/// Shows the newest first.
private final class NewestFirst: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.after == nil ? batch.replacing(batch.updates.reversed()) : batch]
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
        let isSnapshot = batch.after == nil || batch.after?.part != nil
        return isSnapshot && lost.withLock { $0.contains(ObjectIdentifier(receiver)) } ? [] : [batch]
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

    override func acknowledge(through cursor: UpdateCursor) { position.withLock { $0 = cursor.position } }

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

/// Does not say that something was finished.
private final class KeepsFinishesToItself: SpoiltStore, @unchecked Sendable {
    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.replacing(batch.updates.filter { if case .finished = $0 { false } else { true } })]
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

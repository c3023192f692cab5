import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofCommands: [Fault] = [
        Fault(AnswersNothing.self, .submissionsAnswered),
        Fault(NeverReturns.self, .submissionsAnswered).within(seconds: 2),
        Fault(TakesTwice.self, .takenOnce).withoutReopening(),
        Fault(OutOfOrder.self, .commandsInOrder).withoutReopening(),
        Fault(RefusesRepetitions.self, .repetitionsTaken),
        Fault(ConfusesJournals.self, .journalsApart),
        Fault(ForgetsAnOrder.self, .nothingForgotten),
        Fault(RefusesUnknownFinishes.self, .finishAcknowledged),
        Fault(RefusesAtOnce.self, .refusalsAreUpdates),
    ]
}

/// Takes nothing in and says nothing.
private final class AnswersNothing: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {}
}

/// Keeps the thread that submits.
private final class NeverReturns: SpoiltStore, @unchecked Sendable {
    private let never = DispatchSemaphore(value: 0)

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        never.wait()
    }
}

/// Does what comes again again.
private final class TakesTwice: SpoiltStore, @unchecked Sendable {
    private let state = Locked<(taken: Set<OrderID>, aliases: [OrderID: OrderID])>(([], [:]))

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let commands = state.withLock { state in
            commands.map { command in
                if state.taken.insert(command.id).inserted { return command }
                let alias = OrderID(journal: .unique(), number: 1)
                state.aliases[alias] = command.id
                return StoreCommand(id: alias, action: command.action)
            }
        }
        store.submit(commands, reply: reply)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.renaming(state.withLock { $0.aliases })]
    }
}

/// Does the last command of a submission first.
private final class OutOfOrder: SpoiltStore, @unchecked Sendable {
    private let aliases = Locked<[OrderID: OrderID]>([:])

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let commands = aliases.withLock { aliases in
            commands.reversed().map { command in
                // Journals of their own, so that the sandbox does not take the lower numbers for repetitions.
                let alias = aliases.first { $0.value == command.id }?.key ?? OrderID(journal: .unique(), number: 1)
                aliases[alias] = command.id
                return StoreCommand(id: alias, action: command.action)
            }
        }
        store.submit(commands, reply: reply)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.renaming(aliases.withLock { $0 })]
    }
}

/// Takes a repetition for trouble.
private final class RefusesRepetitions: SpoiltStore, @unchecked Sendable {
    private let taken = Locked<Set<OrderID>>([])

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let isNew = taken.withLock { taken in commands.allSatisfy { taken.insert($0.id).inserted } }
        if isNew { return store.submit(commands, reply: reply) }
        store.submit(commands) { _ in reply(.tryLater(.storeKit(.unknown, "seen before"))) }
    }
}

/// Remembers the highest number, and forgets whose.
private final class ConfusesJournals: SpoiltStore, @unchecked Sendable {
    private let state = Locked<(highest: Int, taken: Set<OrderID>)>((0, []))

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let fresh = state.withLock { state in
            commands.filter { command in
                let isNew = command.id.number > state.highest || state.taken.contains(command.id)
                state.highest = max(state.highest, command.id.number)
                if isNew { state.taken.insert(command.id) }
                return isNew
            }
        }
        if fresh.isEmpty { reply(.taken) } else { store.submit(fresh, reply: reply) }
    }
}

/// Takes each third order and does nothing about it.
private final class ForgetsAnOrder: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let kept = commands.filter { command in
            if case .purchase = command.action { !command.id.number.isMultiple(of: 3) } else { true }
        }
        if kept.isEmpty { reply(.taken) } else { store.submit(kept, reply: reply) }
    }
}

/// Wants to finish only what it knows.
private final class RefusesUnknownFinishes: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let isKnown = commands.allSatisfy { command in
            if case .finish(let identifier) = command.action { Int(identifier) != nil } else { true }
        }
        if isKnown { return store.submit(commands, reply: reply) }
        reply(.tryLater(.storeKit(.unknown, "no such transaction")))
    }
}

/// Takes a product that it does not sell for passing trouble.
private final class RefusesAtOnce: SpoiltStore, @unchecked Sendable {
    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let sells = commands.allSatisfy { command in
            if case .purchase(let payment) = command.action {
                store.sells(payment.productIdentifier) == true
            } else {
                true
            }
        }
        if sells { return store.submit(commands, reply: reply) }
        reply(.tryLater(.storeKit(.paymentInvalid, "not sold here")))
    }
}

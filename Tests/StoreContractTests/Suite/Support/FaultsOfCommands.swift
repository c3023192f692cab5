import Foundation
import StoreContract
import StoreCore

extension Fault {
    static let ofCommands: [Fault] = [
        // Takes nothing in and says nothing.
        .submissions("AnswersNothing", .submissionsAnswered) { _, _, _ in },
        Fault(NeverReturns.self, .submissionsAnswered).within(seconds: 15),
        Fault(TakesTwice.self, .takenOnce).withoutReopening(),
        Fault(KeepsTenJournals.self, .takenOnce).withoutReopening(),
        Fault(KeepsNumbersForADay.self, .takenOnce).withoutReopening(),
        Fault(TakesAgainWhenReopened.self, .takenOnce),
        Fault(OutOfOrder.self, .commandsInOrder).withoutReopening(),
        Fault(RefusesRepetitions.self, .repetitionsTaken),
        Fault(ConfusesJournals.self, .journalsApart),
        // Takes each third order and does nothing about it.
        .submissions("ForgetsAnOrder", .nothingForgotten) { spoilt, commands, reply in
            let kept = commands.filter { command in
                if case .purchase = command.action { !command.id.number.isMultiple(of: 3) } else { true }
            }
            if kept.isEmpty { reply(.taken) } else { spoilt.store.submit(kept, reply: reply) }
        }
        .perhaps(.refusalsHoldNothingUp),
        // Wants to finish only what it knows.
        .submissions("RefusesUnknownFinishes", .finishAcknowledged) { spoilt, commands, reply in
            let isKnown = commands.allSatisfy { command in
                if case .finish(let identifier) = command.action { Int(identifier) != nil } else { true }
            }
            if isKnown { return spoilt.store.submit(commands, reply: reply) }
            reply(.tryLater(.storeKit(.unknown, "no such transaction")))
        },
        // Takes a product that it does not sell for passing trouble.
        .submissions("RefusesAtOnce", .refusalsAreUpdates) { spoilt, commands, reply in
            let sells = commands.allSatisfy { command in
                guard case .purchase(let payment) = command.action else { return true }
                return spoilt.store.sells(payment.productIdentifier) == true
            }
            if sells { return spoilt.store.submit(commands, reply: reply) }
            reply(.tryLater(.storeKit(.paymentInvalid, "not sold here")))
        },
        // Takes a payment that is too long for passing trouble.
        .submissions("PutsOffWhatIsLong", .refusalsHoldNothingUp) { spoilt, commands, reply in
            if !commands.contains(where: \.isLong) { return spoilt.store.submit(commands, reply: reply) }
            reply(.tryLater(.network(.dataLengthExceedsMaximum, "too long")))
        },
        // Refuses all of a submission for one payment that is too long.
        .submissions("RefusesWhatComesAlong", .refusalsHoldNothingUp) { spoilt, commands, reply in
            if !commands.contains(where: \.isLong) { return spoilt.store.submit(commands, reply: reply) }
            reply(.refused(commands.map { RefusedCommand(id: $0.id, failure: .storeKit(.paymentInvalid, "too long")) }))
        },
    ]
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

/// Knows what was taken, until it has forgotten.
private class ForgetsNumbers: SpoiltStore, @unchecked Sendable {
    private let aliases = Locked<[OrderID: OrderID]>([:])

    /// Whether a command is not known any more.
    func forgets(_ command: StoreCommand) -> Bool { false }

    override func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        let commands = commands.map { command in
            guard forgets(command) else { return command }
            let alias = OrderID(journal: .unique(), number: 1)
            aliases.withLock { $0[alias] = command.id }
            return StoreCommand(id: alias, action: command.action)
        }
        store.submit(commands, reply: reply)
    }

    override func spoil(_ batch: UpdateBatch, for receiver: any StoreUpdateReceiver) -> [UpdateBatch] {
        [batch.renaming(aliases.withLock { $0 })]
    }
}

/// Keeps the numbers of the journals that it heard of last.
private final class KeepsTenJournals: ForgetsNumbers, @unchecked Sendable {
    private let journals = Locked<(known: [JournalID], forgotten: Set<JournalID>)>(([], []))

    override func forgets(_ command: StoreCommand) -> Bool {
        journals.withLock { journals in
            let journal = command.id.journal
            journals.known.removeAll { $0 == journal }
            journals.known.append(journal)
            if journals.known.count > 10 { journals.forgotten.insert(journals.known.removeFirst()) }
            return journals.forgotten.remove(journal) != nil
        }
    }
}

/// Keeps a number for a day.
private final class KeepsNumbersForADay: ForgetsNumbers, @unchecked Sendable {
    private let taken = Locked<[OrderID: Date]>([:])

    override func forgets(_ command: StoreCommand) -> Bool {
        let now = clock.now
        return taken.withLock { taken in
            defer { taken[command.id] = now }
            return taken[command.id].map { now > $0 + 86_400 } ?? false
        }
    }
}

/// Keeps the numbers in memory.
private final class TakesAgainWhenReopened: ForgetsNumbers, @unchecked Sendable {
    private let taken = Locked<Set<OrderID>>([])

    override func forgets(_ command: StoreCommand) -> Bool {
        // What an earlier launch took has a transaction.
        guard taken.withLock({ $0.insert(command.id).inserted }), isReopened else { return false }
        guard case .purchase = command.action else { return false }
        return (try? store.transactions.contains { $0.order == command.id }) ?? false
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

extension StoreCommand {
    fileprivate var isLong: Bool {
        if case .purchase(let payment) = action { payment.requestData?.count ?? 0 > 1 << 20 } else { false }
    }
}

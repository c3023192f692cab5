import Foundation
import Testing

@testable import StoreCore

/// What a queue's machine still does when the queue has fallen silent.
@Suite struct RetiredMachineTests {
    private let journal = JournalID(rawValue: 1)
    private var machine: QueueMachine
    private var actions = QueueMachine.Actions()
    private let trouble = StoreFailure.network(.timedOut, "no answer")
    private let sword = StorePayment(productIdentifier: "sword")

    init() {
        machine = QueueMachine(journal: journal)
        machine.setObserved(true, &actions)
        let updates: [StoreUpdate] = [
            .transaction("77", .purchased), .transaction("78", .purchased), .transaction("79", .purchased),
        ]
        machine.received(UpdateBatch(after: nil, through: .at(1), updates: updates), generation: 1, &actions)
        actions = []
    }

    private func command(_ number: Int, _ action: StoreCommand.Action) -> StoreCommand {
        StoreCommand(id: OrderID(journal: journal, number: number), action: action)
    }

    /// The command by which a retired machine sends a finish: in an opening of its own.
    private func late(_ number: Int, _ transaction: String) -> StoreCommand {
        let opening = JournalID(rawValue: 1 << 63 | 1)
        return StoreCommand(id: OrderID(journal: opening, number: number), action: .finish(transaction: transaction))
    }

    private mutating func drain() -> QueueMachine.Actions {
        defer { actions = [] }
        return actions
    }

    @Test mutating func `B35: A retired machine buys and restores nothing and is observed by nobody`() {
        machine.retire(leavesFinishes: false, &actions)
        machine.add(sword, &actions)
        machine.restore(applicationUsername: nil, &actions)
        machine.setObserved(true, &actions)
        machine.received(
            UpdateBatch(after: .at(1), through: .at(2), updates: [.transaction("80", .purchased)]),
            generation: 1,
            &actions
        )
        #expect(actions.isEmpty)
        #expect(!machine.isObserved)
    }

    @Test mutating func `B35: On a retired machine finishes still go, one submission at a time and without a pause`() {
        machine.retire(leavesFinishes: false, &actions)
        _ = machine.finish(1, &actions)
        #expect(drain() == [.withdraw(1), .submit([late(4, "77")], number: 1)])
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        #expect(drain() == [.record([command(4, .finish(transaction: "77"))])])
        _ = machine.recorded([command(4, .finish(transaction: "77"))], .recorded, now: .now, &actions)
        #expect(drain() == [.remove(1)])
        _ = machine.finish(2, &actions)
        #expect(drain() == [.withdraw(2), .submit([late(4, "77"), late(5, "78")], number: 2)])
        machine.replied(.taken, to: 2, now: .distantPast, &actions)
        #expect(drain() == [.remove(2), .forget([command(4, .finish(transaction: "77")).id])])
    }

    @Test mutating func `B35: Retiring ends a pause, and a finish that waited for its end is tried once more`() {
        _ = machine.finish(1, &actions)
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        actions = []
        machine.retire(leavesFinishes: false, &actions)
        #expect(drain() == [.submit([late(4, "77")], number: 2)])
        machine.timerFired(.submission(number: 1), &actions)
        #expect(actions.isEmpty)
    }

    @Test mutating func `B34: What was not sent before retiring is recorded, and neither sent, told nor forgotten`() {
        machine.add(sword, &actions)
        machine.add(sword, &actions)
        machine.restore(applicationUsername: nil, &actions)
        _ = drain()
        machine.retire(leavesFinishes: false, &actions)
        _ = machine.finish(1, &actions)
        #expect(drain() == [.withdraw(1)])
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        let kept = [command(4, .purchase(sword)), command(5, .purchase(sword)), command(7, .finish(transaction: "77"))]
        #expect(drain() == [.record(kept)])
        _ = machine.recorded(kept, .recorded, now: .now, &actions)
        #expect(drain() == [.remove(1)])
        _ = machine.finish(2, &actions)
        #expect(drain() == [.withdraw(2), .submit([late(7, "77"), late(8, "78")], number: 2)])
    }

    @Test mutating func `B33, B35: A finish on its way into the journal when the queue is relaunched stays there`() {
        let finish = command(4, .finish(transaction: "77"))
        _ = machine.finish(1, &actions)
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        #expect(drain().contains(.record([finish])))
        machine.retire(leavesFinishes: true, &actions)
        #expect(machine.recorded([finish], .recorded, now: .now, &actions).isEmpty)
        #expect(!drain().contains(.forget([finish.id])))
    }

    @Test mutating func `B33, B35: A finish that was sent when the queue is relaunched is recorded and stays there`() {
        let finish = command(4, .finish(transaction: "77"))
        _ = machine.finish(1, &actions)
        machine.retire(leavesFinishes: true, &actions)
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        #expect(drain().contains(.record([finish])))
        #expect(machine.recorded([finish], .recorded, now: .now, &actions).isEmpty)
        #expect(!drain().contains(.forget([finish.id])))
    }

    @Test mutating func `B35: What the store takes after the queue was retired is not shown`() {
        machine.add(sword, &actions)
        _ = drain()
        machine.retire(leavesFinishes: false, &actions)
        machine.replied(.taken, to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        #expect(actions.isEmpty)
    }
}

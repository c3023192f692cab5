import Foundation
import Testing

@testable import StoreCore

/// What a queue's machine remembers, and what it says that it waits for.
@Suite struct MachineMemoryTests {
    private let journal = JournalID(rawValue: 2)
    private var machine: QueueMachine
    private var actions = QueueMachine.Actions()
    private let full = StoreFailure.storeKit(.unknown, "the disk is full")
    private let trouble = StoreFailure.network(.timedOut, "no answer")
    private let sword = StorePayment(productIdentifier: "sword")

    init() { machine = QueueMachine(journal: journal) }

    private func order(_ number: Int, in journal: UInt64 = 2) -> OrderID {
        OrderID(journal: JournalID(rawValue: journal), number: number)
    }

    private mutating func receive(after: UpdateCursor?, through: UpdateCursor, _ updates: StoreUpdate...) {
        let batch = UpdateBatch(after: after, through: through, updates: updates)
        machine.received(batch, generation: machine.connection.generation, &actions)
    }

    private var brought: Int { actions.observers.count { if case .bring = $0 { true } else { false } } }

    @Test mutating func `B71: An adopted order that was finished is forgotten, and does not come again meanwhile`() {
        let adopted = StoreCommand(id: order(1, in: 1), action: .purchase(sword))
        machine.adopt([adopted], &actions)
        machine.setObserved(true, &actions)
        receive(after: nil, through: .at(1), .transaction("77", .purchased, order: adopted.id))
        #expect(machine.adopted == [adopted.id: 1])
        #expect(machine.finish(1, &actions) == .finished)
        #expect(machine.adopted.isEmpty)
        #expect(machine.adoptedOrders.isEmpty)
        receive(after: .at(8), through: .at(9))
        receive(after: nil, through: .at(9), .transaction("77", .purchased, order: adopted.id))
        #expect(brought == 0)
        machine.replied(.taken, to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        machine.replied(.taken, to: 2, now: .distantPast, &actions)
        #expect(machine.finished.isEmpty)
    }

    @Test mutating func `B36: An adopted order that has gone from the store is forgotten`() {
        let adopted = StoreCommand(id: order(1, in: 1), action: .purchase(sword))
        machine.adopt([adopted], &actions)
        machine.setObserved(true, &actions)
        receive(after: nil, through: .at(1), .transaction("77", .purchased, order: adopted.id))
        receive(after: .at(1), through: .at(2), .finished(transaction: "77", order: adopted.id))
        #expect(machine.adopted.isEmpty)
        #expect(machine.adoptedOrders.isEmpty)
        #expect(machine.rows.isEmpty)
    }

    @Test mutating func `B34: Of the payments that cannot be recorded, only those that were sent are remembered`() {
        machine.setObserved(true, &actions)
        receive(after: nil, through: .at(0))
        machine.add(sword, &actions)
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        machine.submissionReturned(1, &actions)
        for _ in 2...10 { machine.add(sword, &actions) }
        let commands = (1...10).map { StoreCommand(id: order($0), action: .purchase(sword)) }
        _ = machine.recorded(commands, .failed(full), now: .now, &actions)
        #expect(machine.givenUp == [1])
        #expect(machine.outbound.isEmpty)
        receive(after: .at(0), through: .at(1), .transaction("77", .purchased, order: order(1)))
        #expect(brought == 1)
    }

    @Test mutating func `B71: An order sold and finished on its way into a journal that fails does not come as new`() {
        machine.setObserved(true, &actions)
        receive(after: nil, through: .at(0))
        machine.add(sword, &actions)
        machine.submissionReturned(1, &actions)
        receive(after: .at(0), through: .at(1), .transaction("77", .purchased, order: order(1)))
        #expect(machine.finish(1, &actions) == .finished)
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        let commands = [
            StoreCommand(id: order(1), action: .purchase(sword)),
            StoreCommand(id: order(2), action: .finish(transaction: "77")),
        ]
        _ = machine.recorded(commands, .failed(full), now: .now, &actions)
        #expect(machine.outbound.count == 2)
        receive(after: .at(8), through: .at(9))
        receive(after: nil, through: .at(9), .transaction("77", .purchased, order: order(1)))
        #expect(brought == 0)
    }

    @Test mutating func `Finishing an order of this launch leaves no mark`() {
        machine.setObserved(true, &actions)
        machine.add(sword, &actions)
        receive(after: nil, through: .at(1), .transaction("77", .purchased, order: order(1)))
        _ = machine.finish(1, &actions)
        #expect(machine.finished.isEmpty)
    }

    @Test mutating func `The machine names all that it waits for`() {
        machine.add(sword, &actions)
        machine.add(sword, &actions)
        #expect(machine.waiting == ["an observer, for 2 payments"])
        machine.setObserved(true, &actions)
        let answer = "the store's answer to 2 commands"
        let snapshot = "the store's snapshot of what is unfinished"
        #expect(machine.waiting == [answer, snapshot])
        machine.restore(applicationUsername: nil, &actions)
        #expect(machine.waiting == [answer, snapshot, "the end of 1 restores"])
        receive(after: nil, through: .at(0))
        #expect(machine.waiting == [answer, "the end of 1 restores"])
        machine.replied(.tryLater(trouble), to: 1, now: .distantPast, &actions)
        #expect(machine.waiting == ["the pause before commands are sent again"])
        machine.connectionLost(trouble, generation: 1, &actions)
        #expect(
            machine.waiting == [
                "the pause before commands are sent again", "the pause before the queue connects again",
            ]
        )
        machine.retire(leavesFinishes: false, &actions)
        #expect(machine.waiting.isEmpty)
    }
}

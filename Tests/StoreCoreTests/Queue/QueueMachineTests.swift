import Foundation
import TestSupport
import Testing

@testable import StoreCore

/// A machine, one event at a time: each answers with the whole list of its actions.
struct MachineBench {
    var machine: QueueMachine
    static let journal = JournalID(rawValue: 7)

    init(adopting commands: [StoreCommand] = [], journal: JournalID = MachineBench.journal) {
        machine = QueueMachine(journal: journal)
        _ = after { $0.adopt(commands, &$1) }
    }

    mutating func after(_ event: (inout QueueMachine, inout QueueMachine.Actions) -> Void) -> QueueMachine.Actions {
        var actions = QueueMachine.Actions()
        event(&machine, &actions)
        return actions
    }

    mutating func observe(_ value: Bool = true) -> QueueMachine.Actions { after { $0.setObserved(value, &$1) } }

    mutating func add(_ product: String) -> QueueMachine.Actions {
        after { $0.add(StorePayment(productIdentifier: product), &$1) }
    }

    mutating func finish(_ number: Int) -> QueueMachine.Actions { after { _ = $0.finish(number, &$1) } }

    mutating func reply(_ reply: SubmissionReply, to number: Int = 1) -> QueueMachine.Actions {
        after { $0.replied(reply, to: number, now: .distantPast, &$1) }
    }

    mutating func recorded(_ commands: [StoreCommand]) -> QueueMachine.Actions {
        after { _ = $0.recorded(commands, .recorded, now: .distantPast, &$1) }
    }

    mutating func returned(_ number: Int = 1) -> QueueMachine.Actions { after { $0.submissionReturned(number, &$1) } }

    mutating func receive(
        after cursor: UpdateCursor?,
        through: UpdateCursor,
        _ updates: [StoreUpdate] = [],
        generation: Int = 1
    ) -> QueueMachine.Actions {
        after {
            $0.received(UpdateBatch(after: cursor, through: through, updates: updates), generation: generation, &$1)
        }
    }

    /// Observed, with an empty snapshot behind it.
    static func connected() -> MachineBench {
        var bench = MachineBench()
        _ = bench.observe()
        _ = bench.receive(after: nil, through: .at(0))
        return bench
    }

    static func purchase(_ number: Int, _ product: String, journal: JournalID = journal) -> StoreCommand {
        StoreCommand(
            id: OrderID(journal: journal, number: number),
            action: .purchase(StorePayment(productIdentifier: product))
        )
    }

    static func finish(_ number: Int, of transaction: String) -> StoreCommand {
        StoreCommand(id: OrderID(journal: journal, number: number), action: .finish(transaction: transaction))
    }

    static func order(_ number: Int) -> OrderID { OrderID(journal: journal, number: number) }
}

extension StoreUpdate {
    /// The transaction inside.
    fileprivate var value: StoreTransaction {
        guard case .transaction(let transaction) = self else { fatalError("\(self) is no transaction") }
        return transaction
    }
}

@Suite struct QueueMachineTests {
    private let trouble = StoreFailure.network(.timedOut, "no answer")
    private let sword = StorePayment(productIdentifier: "sword")

    @Test func `B17, B36, B69: From the order to the end, with a store that answers at once`() {
        var bench = MachineBench()
        #expect(bench.observe() == [.connect(generation: 1, after: nil)])
        #expect(bench.receive(after: nil, through: .at(0)) == [])
        #expect(bench.add("sword") == [.submit([MachineBench.purchase(1, "sword")], number: 1)])
        #expect(bench.reply(.taken) == [.show(1, sword)])
        #expect(bench.returned() == [])
        let update = StoreUpdate.transaction("a", .purchased, order: MachineBench.order(1))
        #expect(bench.receive(after: .at(0), through: .at(1), [update]) == [.change(1, update.value)])
        #expect(bench.finish(1) == [.withdraw(1), .submit([MachineBench.finish(2, of: "a")], number: 2)])
        #expect(bench.reply(.taken, to: 2) == [.remove(1)])
        #expect(bench.finish(1) == [])
    }

    @Test func `B33: What is not acknowledged on return is recorded, then shown; the answer forgets it`() {
        var bench = MachineBench.connected()
        let command = MachineBench.purchase(1, "sword")
        #expect(bench.add("sword") == [.submit([command], number: 1)])
        #expect(bench.returned() == [.record([command])])
        #expect(bench.recorded([command]) == [.show(1, sword)])
        #expect(bench.reply(.taken) == [.forget([command.id])])
        #expect(bench.reply(.taken) == [])
        #expect(bench.reply(.tryLater(trouble)) == [])
    }

    @Test func `B33: An answer that overtakes the journal has its command forgotten again`() {
        var bench = MachineBench.connected()
        let command = MachineBench.purchase(1, "sword")
        _ = bench.add("sword")
        #expect(bench.returned() == [.record([command])])
        #expect(bench.reply(.taken) == [.show(1, sword)])
        var acknowledged: [OrderID] = []
        #expect(bench.after { acknowledged = $0.recorded([command], .recorded, now: .distantPast, &$1) } == [])
        #expect(acknowledged == [command.id])
    }

    @Test func `B57: What may have been recorded is neither shown nor failed, and is offered to the journal again`() {
        var bench = MachineBench.connected()
        let command = MachineBench.purchase(1, "sword")
        _ = bench.add("sword")
        #expect(bench.returned() == [.record([command])])
        #expect(bench.after { _ = $0.recorded([command], .inDoubt, now: .distantPast, &$1) } == [])
        #expect(bench.reply(.tryLater(trouble)) == [.record([command]), .wake(.submission(number: 1), after: 1)])
        // It may be in the journal all the same.
        #expect(bench.after { _ = $0.recorded([command], .failed(trouble), now: .distantPast, &$1) } == [])
        #expect(bench.after { $0.timerFired(.submission(number: 1), &$1) } == [.submit([command], number: 2)])
        #expect(bench.reply(.taken, to: 2) == [.show(1, sword), .forget([command.id])])
    }

    @Test func `B36: Passing trouble records, pauses, and sends the same again with what was added meanwhile`() {
        var bench = MachineBench.connected()
        let commands = [MachineBench.purchase(1, "sword"), MachineBench.purchase(2, "shield")]
        _ = bench.add("sword")
        #expect(bench.reply(.tryLater(trouble)) == [.wake(.submission(number: 1), after: 1)])
        #expect(bench.returned() == [.record([commands[0]])])
        #expect(bench.add("shield") == [.record([commands[1]])])
        #expect(bench.after { $0.timerFired(.submission(number: 1), &$1) } == [.submit(commands, number: 2)])
        #expect(bench.reply(.tryLater(trouble), to: 2) == [.wake(.submission(number: 2), after: 2)])
        #expect(bench.returned(2) == [])
    }

    @Test func `B57: What cannot be recorded fails, if it is not on its way`() {
        var bench = MachineBench.connected()
        let command = MachineBench.purchase(1, "sword")
        _ = bench.add("sword")
        _ = bench.reply(.tryLater(trouble))
        #expect(bench.returned() == [.record([command])])
        let failed = StoreUpdate.transaction("", .failed, order: command.id, failure: trouble)
        let now = failed.value.date
        #expect(
            bench.after { _ = $0.recorded([command], .failed(trouble), now: now, &$1) }
                == [.show(1, sword), .change(1, failed.value)]
        )
        // Nothing is left to send, and the store never had it.
        #expect(bench.after { $0.timerFired(.submission(number: 1), &$1) } == [])
        #expect(bench.finish(1) == [.withdraw(1), .remove(1)])
    }

    @Test func `B33, B37: What an earlier launch left is shown, and sent before anything else once observed`() {
        let old = JournalID(rawValue: 6)
        let left = [
            MachineBench.purchase(4, "sword", journal: old),
            StoreCommand(id: OrderID(journal: old, number: 5), action: .finish(transaction: "a")),
        ]
        var bench = MachineBench()
        #expect(bench.after { $0.adopt(left, &$1) } == [.show(1, sword)])
        let new = MachineBench.purchase(3, "shield")
        #expect(bench.add("shield") == [.record([new])])
        #expect(bench.observe() == [.again(1), .connect(generation: 1, after: nil), .submit(left + [new], number: 1)])
        // The one that was finished does not come back although the store still has it.
        #expect(bench.receive(after: nil, through: .at(3), [.transaction("a", .purchased)]) == [])
        #expect(
            bench.reply(.taken) == [
                .show(3, StorePayment(productIdentifier: "shield")), .forget(left.map(\.id)),
                .connect(generation: 2, after: nil),
            ]
        )
    }

    @Test func `B36: A gap makes the queue connect again from where it is, at once but not over and over`() {
        var bench = MachineBench.connected()
        let update = StoreUpdate.transaction("a", .purchased)
        #expect(bench.receive(after: .at(1), through: .at(2), [update]) == [.connect(generation: 2, after: .at(0))])
        #expect(bench.receive(after: .at(0), through: .at(2), [update], generation: 1) == [])
        #expect(
            bench.receive(after: .at(1), through: .at(2), [update], generation: 2)
                == [.wake(.connection(generation: 2), after: 2)]
        )
        #expect(bench.after { $0.timerFired(.connection(generation: 1), &$1) } == [])
        #expect(
            bench.after { $0.timerFired(.connection(generation: 2), &$1) }
                == [.connect(generation: 3, after: .at(0))]
        )
        #expect(bench.receive(after: .at(0), through: .at(2), [update], generation: 3) == [.bring(1, update.value)])
    }

    @Test func `B36: Repetitions change nothing`() {
        var bench = MachineBench.connected()
        let update = StoreUpdate.transaction("a", .purchased)
        #expect(bench.receive(after: .at(0), through: .at(1), [update]) == [.bring(1, update.value)])
        #expect(bench.receive(after: .at(0), through: .at(1), [update]) == [])
        #expect(bench.receive(after: nil, through: .at(0)) == [])
        #expect(bench.receive(after: .at(1), through: .at(2), [update]) == [])
    }

    @Test func `B43: What is finished elsewhere is removed once`() {
        var bench = MachineBench.connected()
        let update = StoreUpdate.transaction("a", .purchased)
        let end = StoreUpdate.finished(transaction: "a", order: nil)
        _ = bench.receive(after: .at(0), through: .at(1), [update])
        #expect(bench.receive(after: .at(1), through: .at(2), [end, end]) == [.remove(1)])
        #expect(bench.finish(1) == [])
    }

    @Test func `B36: A snapshot that does not show what the store had says that it is finished`() {
        var bench = MachineBench.connected()
        let updates = ["a", "b", "c"].map { StoreUpdate.transaction($0, .purchased) }
        _ = bench.receive(after: .at(0), through: .at(1), updates)
        #expect(
            bench.after { $0.connectionLost(trouble, generation: 1, &$1) } == [
                .wake(.connection(generation: 1), after: 1)
            ]
        )
        _ = bench.after { $0.timerFired(.connection(generation: 1), &$1) }
        #expect(bench.receive(after: nil, through: .at(9, part: 1), [updates[0]], generation: 2) == [])
        #expect(bench.receive(after: .at(9, part: 1), through: .at(9), [updates[2]], generation: 2) == [.remove(2)])
    }

    @Test func `B96: A restore waits for the end of what is unfinished, and holds up only what comes behind it`() {
        var bench = MachineBench()
        _ = bench.observe()
        #expect(bench.after { $0.restore(applicationUsername: nil, &$1) } == [])
        let restore = StoreCommand(id: MachineBench.order(1), action: .restore(applicationUsername: nil))
        #expect(bench.receive(after: nil, through: .at(0, part: 1)) == [])
        #expect(bench.receive(after: .at(0, part: 1), through: .at(0)) == [.submit([restore], number: 1)])
        #expect(bench.reply(.taken) == [])
        #expect(
            bench.receive(after: .at(0), through: .at(1), [.restoreEnded(restore.id, failure: nil)])
                == [.restoreEnded(nil)]
        )
    }

    @Test func `B100: Passing trouble ends a restore, and a restore does not sit out a pause`() {
        var bench = MachineBench.connected()
        _ = bench.add("sword")
        _ = bench.reply(.tryLater(trouble))
        _ = bench.returned()
        let restore = StoreCommand(id: MachineBench.order(2), action: .restore(applicationUsername: "me"))
        #expect(
            bench.after { $0.restore(applicationUsername: "me", &$1) }
                == [.submit([MachineBench.purchase(1, "sword"), restore], number: 2)]
        )
        #expect(
            bench.reply(.tryLater(trouble), to: 2) == [.restoreEnded(trouble), .wake(.submission(number: 2), after: 2)]
        )
    }

    @Test func `B176: What is no transaction is acknowledged once told`() {
        var bench = MachineBench.connected()
        #expect(
            bench.receive(after: .at(0), through: .at(1), [.revoked(productIdentifiers: ["full.game"])])
                == [.revoked(["full.game"]), .delivered(.at(1))]
        )
        #expect(bench.receive(after: .at(1), through: .at(2), [.storefront(nil)]) == [.storefrontChanged])
    }

    @Test func `B37: Without observers nothing is bought, but what was finished goes to the store`() {
        var bench = MachineBench.connected()
        _ = bench.receive(after: .at(0), through: .at(1), [.transaction("a", .purchased)])
        #expect(bench.observe(false) == [.disconnect])
        #expect(bench.finish(1) == [.withdraw(1), .submit([MachineBench.finish(2, of: "a")], number: 1)])
        #expect(bench.reply(.taken) == [.remove(1)])
        #expect(bench.returned() == [])
        #expect(bench.add("sword") == [.record([MachineBench.purchase(3, "sword")])])
        #expect(bench.receive(after: .at(1), through: .at(2), [.transaction("b", .purchased)]) == [])
    }

    @Test func `B36: Pauses double up to 256 seconds`() {
        #expect((1...11).map { QueueMachine.pause(afterAttempts: $0) } == [1, 2, 4, 8, 16, 32, 64, 128, 256, 256, 256])
    }
}

@Suite struct QueueMachineWalkTests {
    // Whatever happens in whatever order, nothing is shown that is kept nowhere, nothing is sold twice, told of in the
    // wrong order or brought back after it was finished, and in the end nothing is left. The seed replays a walk.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `B17, B33, B34, B36, B69, B71: Random walks break no promise`(block: UInt64) {
        for seed in block * 100..<block * 100 + UInt64(rounds(10, thoroughly: 100)) {
            let world = walk(seed)
            guard !world.faults.isEmpty else { continue }
            let story = walk(seed, isTelling: true).story ?? []
            Issue.record("seed \(seed): \(world.faults)\n\(story.suffix(40).joined(separator: "\n"))")
            return
        }
    }

    private func walk(_ seed: UInt64, isTelling: Bool = false) -> MachineWorld {
        let world = MachineWorld(seed: seed, isTelling: isTelling)
        for _ in 0..<100 where world.faults.isEmpty { world.step() }
        if world.faults.isEmpty { world.calmDown() }
        return world
    }
}

import Foundation
import ModelSimulator
import StoreContract
import StoreCore
import Testing

@Suite("Broken stores that hundreds of runs find") struct BrokenStoreTests {
    @Test func `A store that sells twice is found`() throws {
        let failure = try #require(Simulator.run(seed: 1, runs: 20) { Broken($0, .sellsTwice) }.failure)
        #expect(failure.shrunk.operations.count <= 2)
        #expect(throws: BrokenRule.self) { try failure.shrunk.run() }
    }

    @Test func `A store that forgets to finish is found`() throws {
        let failure = try #require(Simulator.run(seed: 1, runs: 20) { Broken($0, .forgetsFinishes) }.failure)
        #expect(failure.shrunk.operations.count <= 5)
    }

    @Test func `A store that loses orders is found`() throws {
        let failure = try #require(Simulator.run(seed: 1, runs: 20) { Broken($0, .losesOrders) }.failure)
        #expect(failure.shrunk.operations.count <= 2)
    }

    @Test func `A failure says its seed, its run and the operations to paste`() throws {
        let failure = try #require(Simulator.run(seed: 2, runs: 20) { Broken($0, .losesOrders) }.failure)
        #expect(failure.description.hasPrefix("seed 2, run \(failure.run): "))
        #expect(failure.description.contains("try SimulatedRun(seed: "))
        #expect(failure.description.contains("\n    ."))
    }

    @Test func `A failure has a page with its rule, the test to paste and what the store recorded`() throws {
        let failure = try #require(Simulator.run(seed: 1, runs: 20) { Broken($0, .sellsTwice) }.failure)
        #expect(failure.page.contains("try SimulatedRun(seed: \(failure.shrunk.seed), operations: ["))
        let entries = failure.shrunk.timeline().entries
        #expect(entries.contains { $0.kind == .sale || $0.kind == .order || $0.kind == .refusal })
        #expect(entries.contains { $0.isDelivery })
        for entry in entries { #expect(failure.page.contains(entry.what.prefix { !"\"'&<>".contains($0) })) }
    }

    @Test func `On several threads too the first run that breaks a rule is reported`() throws {
        let standIn: StandIn = { Broken($0, .losesPairsOfGifts) }
        var seed: UInt64 = 4600
        var alone = Simulator.run(seed: seed, runs: 400, operations: 8, jobs: 1, standIn: standIn)
        // It has to lie behind the first block of runs that a thread takes.
        while let failure = alone.failure, failure.run <= 32 {
            seed += UInt64(failure.run) + 1
            alone = Simulator.run(seed: seed, runs: 400, operations: 8, jobs: 1, standIn: standIn)
        }
        let together = Simulator.run(seed: seed, runs: 400, operations: 8, jobs: 4, standIn: standIn)
        #expect(alone.failure != nil)
        #expect("\(alone)" == "\(together)")
    }
}

/// A backend that breaks one of its promises.
private final class Broken: ForwardingBackend {
    enum Flaw { case sellsTwice, forgetsFinishes, losesOrders, losesPairsOfGifts }

    let backend: any StoreBackend
    private let flaw: Flaw

    init(_ backend: any StoreBackend, _ flaw: Flaw) {
        self.flaw = flaw
        self.backend = backend
    }

    func submit(_ commands: [StoreCommand], reply: @escaping @Sendable (SubmissionReply) -> Void) {
        var spoilt: [StoreCommand] = []
        for command in commands {
            switch (command.action, flaw) {
            case (.purchase, .losesOrders), (.finish, .forgetsFinishes): continue
            // Few runs order any.
            case (.purchase(let payment), .losesPairsOfGifts)
            where payment.productIdentifier == "gift" && payment.quantity == 2:
                continue
            case (.purchase, .sellsTwice):
                let again = OrderID(
                    journal: JournalID(rawValue: ~command.id.journal.rawValue),
                    number: command.id.number
                )
                spoilt += [command, StoreCommand(id: again, action: command.action)]
            default: spoilt.append(command)
            }
        }
        if spoilt.isEmpty { reply(.taken) } else { backend.submit(spoilt, reply: reply) }
    }
}

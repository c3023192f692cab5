import Foundation
import StoreContract
import StoreCore
import StoreKit
import StoreSimulator
import Testing

/// Connections, acknowledgements and readings that fail, are lost or come late.
@Suite struct AppWireTests {
    /// An app that notes what it reads.
    private static func simulation(_ note: @escaping @Sendable (String) -> Void) -> AppSimulation<Stall> {
        Stall.simulation(isInline: true)
            .action("country") { _ in note(SKPaymentQueue.default().storefront?.countryCode ?? "none") }
            .action("sync") { _ in
                do {
                    try await AppStore.sync()
                    note("synchronized")
                } catch { note("not synchronized") }
            }
            .action("products") { _ in
                do { note("\(try await Product.products(for: ["sword"]).count) products") } catch {
                    note("no products")
                }
            }
            .action("look") { _ in note("looked") }
    }

    private static func notes(_ steps: [AppStep]) async throws -> [String] {
        let notes = Locked<[String]>([])
        try await simulation { note in notes.withLock { $0.append(note) } }.run(seed: 1, steps: steps)
        return notes.withLock { $0 }
    }

    /// What faults met, as the table of one life with these steps says.
    private static func met(_ steps: [AppStep]) async throws -> [String] {
        let still = AppStep.Kind.allCases.reduce(simulation { _ in }) { $0.without($1) }
        let table = try await still.beginning(with: steps).run(runs: 1).coverageTable
        let list = table.components(separatedBy: "faults met:\n").last ?? ""
        return list.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            !$0.hasSuffix(" 0")
        }
    }

    @Test func `A lost connection loses what is under way, and the next message passes`() async throws {
        let held: [AppStep] = [.fault(.hold, at: .productsAnswer), .action("products"), .action("look")]
        let notes = try await Self.notes(held + [.loseConnection, .action("products")])
        #expect(notes == ["looked", "no products", "1 products"])
        #expect(try await Self.notes(held + [.release]) == ["looked", "1 products"])
    }

    @Test func `The storefront cannot be read once`() async throws {
        for fault in [FaultInjector.Fault.drop, .fail(.network(.timedOut, ""))] {
            let steps: [AppStep] = [.fault(fault, at: .storefrontRead), .action("country"), .action("country")]
            #expect(try await Self.notes(steps) == ["none", "USA"])
            #expect(try await Self.met(steps) == ["storefrontRead 1"])
        }
    }

    @Test func `A question about what the user has bought fails once, or is answered late`() async throws {
        let failing = AppStep.failHistory(.network(.timedOut, ""))
        #expect(
            try await Self.notes([.action("sync"), failing, .action("sync"), .action("sync")])
                == ["synchronized", "not synchronized", "synchronized"]
        )
        let late: [AppStep] = [.action("sync"), .delayHistory(seconds: 120), .action("sync"), .action("look")]
        #expect(
            try await Self.notes(late + [.advance(hours: 1), .action("look")])
                == ["synchronized", "looked", "synchronized", "looked"]
        )
        #expect(try await Self.met(late) == ["history 1"])
        // The process ends before the answer comes, which is lost: its task ends when the life does.
        #expect(try await Self.notes(late + [.relaunch]) == ["synchronized", "looked", "not synchronized"])
    }

    @Test(arguments: [FaultInjector.Fault.drop, .delay(5), .hold, .duplicate])
    func `Acknowledgements are lost or late, and nothing else is`(fault: FaultInjector.Fault) async throws {
        // What was promoted is acknowledged, for it is told once.
        let steps: [AppStep] = [.fault(fault, at: .acknowledgement), .promote("sword"), .relaunch]
        #expect(try await Self.met(steps) == ["acknowledgement 1"])
        try await Stall.simulation(isInline: true).run(seed: 1, steps: steps)
    }

    @Test func `Each kind of what fails can be left out`() async throws {
        let kinds: [AppStep.Kind] = [.wire, .connection, .acknowledgement, .reading]
        let steps: [AppStep.Kind: AppStep] = [
            .wire: .fault(.drop, at: .reply), .connection: .fault(.drop, at: .connection),
            .acknowledgement: .fault(.drop, at: .acknowledgement), .reading: .fault(.drop, at: .storefrontRead),
        ]
        for kind in kinds {
            #expect(steps[kind]?.kind == kind)
            let without = try await Stall.simulation(isInline: true).without(kind).run(runs: 20)
            #expect(without.count(of: kind) == 0)
            for other in kinds where other != kind { #expect(without.count(of: other) > 0) }
        }
    }
}

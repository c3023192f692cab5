import Foundation
import StoreContract
import StoreCore
import Testing

/// What the suite says, and what it says of promises that it could not try.
@Suite struct ReportTests {
    private struct Shut: Error {}

    @Test func `A store that does not open breaks a promise`() async {
        let products = ContractSubject.Products(consumable: "sword")
        let report = await StoreContract.check(ContractSubject(products: products) { throw Shut() })
        #expect(report.broken == [.opens] && !report.isKept)
        #expect(report.notTried == Array(ContractPromise.allCases.dropFirst()))
    }

    @Test func `A store that does not open again breaks the same promise`() async {
        var subject = ContractSubject.sandbox()
        let newStore = subject.newStore
        subject.newStore = {
            var store = try newStore()
            store.reopen = { throw Shut() }
            return store
        }
        #expect(await StoreContract.check(subject).broken == [.opens])
    }

    @Test func `What the subject does not supply is not tried`() async {
        var subject = ContractSubject.sandbox()
        subject.products = ContractSubject.Products(consumable: "sword")
        subject.hasReceipts = false
        let report = await StoreContract.check(subject)
        #expect(report.isKept, "\(report)")
        let notTried: [ContractPromise] = [
            .offersRefused, .waitingStays, .restoreComplete, .receiptsGiven, .contentServed, .subscriptionsFound,
        ]
        #expect(report.notTried == notTried)
        #expect(report[.receiptsGiven] == .notTried(because: "the store does not claim to have receipts"))
    }

    @Test func `A store without a history is not held to one`() async {
        let report = await StoreContract.check(.sandbox { WithoutHistory($0) })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.count == 13, "\(report)")
        #expect(report.notTried.allSatisfy { report[$0] == .notTried(because: "the store offers no history") })
    }

    @Test func `A subject that names the wrong products is told`() async {
        var subject = ContractSubject.sandbox()
        subject.products.consumable = "dragon"
        let report = await StoreContract.check(subject)
        #expect(report.broken.contains(.whatSellsIsSold), "\(report)")
    }

    @Test func `Time moves the way the subject says`() async {
        let moves = Locked(0)
        var subject = ContractSubject.sandbox()
        subject.letTimePass = { backend, seconds in
            moves.withLock { $0 += 1 }
            (backend.clock as? ManualClock)?.advance(by: seconds)
        }
        let report = await StoreContract.check(subject)
        #expect(report.isKept, "\(report)")
        #expect(moves.withLock { $0 } > 0)
    }

    @Test func `Names and sentences are there, and names are different`() {
        let promises = ContractPromise.allCases
        #expect(Set(promises.map(\.name)).count == promises.count)
        #expect(promises.allSatisfy { !$0.name.isEmpty && $0.sentence.hasSuffix(".") })
    }

    @Test func `A report begins with the figures, then says what is broken and why`() async throws {
        let fault = try #require(Fault.all.first { $0.breaks == [.restoreEnds] })
        let report = await StoreContract.check(fault.subject)
        let lines = report.description.split(separator: "\n")
        let kept = ContractPromise.allCases.count - 1 - report.notTried.count
        #expect(lines.first == "\(kept) kept, 1 broken, \(report.notTried.count) not tried")
        #expect(lines[1].hasPrefix("BROKEN     a restore ends once: a restore "))
        #expect(lines[2].hasSuffix(ContractPromise.restoreEnds.sentence))
        #expect(lines.last?.hasPrefix("kept       ") == true)
        guard case .broken(let why) = report[.restoreEnds]
        else { return _ = Issue.record("the verdict is \(report[.restoreEnds])") }
        #expect(why.hasSuffix("had not ended after 60.0 s"))
    }
}

private final class WithoutHistory: ForwardingBackend {
    let backend: any StoreBackend

    init(_ backend: any StoreBackend) { self.backend = backend }

    var services: StoreServices {
        var services = backend.services
        services.history = nil
        return services
    }
}

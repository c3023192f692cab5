import Foundation
import Testing

@testable import StoreCore

/// What servers cause, as ledgers and snapshots keep it.
@Suite struct ServerLedgerTests {
    /// A durable ledger in memory, with a snapshot after every record.
    private final class SnapshotLedger: DurableLedger {
        private let records = MemoryLedger()
        private let kept = Locked<LedgerSnapshot?>(nil)

        var lane: BackendLane { .caller }
        var snapshotDistance: Int { 1 }
        var head: Int { records.head }

        func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool { records.append(new, ifHeadIs: head) }
        func commit() {}
        func read(after position: Int, limit: Int) -> [LedgerRecord] { records.read(after: position, limit: limit) }
        func snapshot() -> LedgerSnapshot? { kept.withLock { $0 } }
        func keep(_ snapshot: LedgerSnapshot) { kept.withLock { $0 = snapshot } }
    }

    /// A market in which every change of this kind has happened.
    private func eventful(on ledger: any Ledger = MemoryLedger()) throws -> Market {
        let market = try Market(ledger: ledger)
        let (store, view) = (market.store, ServerView(market.store))
        let app = App(on: store, finishes: false)
        try view.beginNotifications()
        for _ in 0..<4 { try store.account.buy("sword") }
        try store.account.buy("gold.monthly")
        for request in ["one", "two"] { _ = try view.extendRenewal(of: "5", days: 3, reason: 0, request: request) }
        try view.extendRenewals(of: "gold.monthly", days: 3, reason: 0, request: "all", storefronts: ["USA"])
        try view.setAppAccountToken(UUID(named: "user"), ofOriginal: "5")
        try view.takeConsumption(Data("{}".utf8), of: "1")
        store.refundDecision = .ask
        try store.requestRefund(of: "1", reason: .legal)
        try store.requestRefund(of: "2")
        try store.declineRefund(of: "1")
        try store.refund("5")
        try store.reverseRefund(of: "5")
        try store.account.rescindConsent()
        _ = try view.requestTestNotification()
        let last = try #require(try view.notifications(after: nil, limit: .max).last)
        try view.recordAttempt("SUCCESS", at: last.position)
        try view.finish("3")
        try store.addRetentionMessage(.init(identifier: UUID(named: "stay"), header: "Stay", body: ""))
        withExtendedLifetime(app) {}
        return market
    }

    /// The changes by servers among the records.
    private func changes(_ records: [LedgerRecord]) -> [ServerChange] {
        records.compactMap { if case .operator(.server(let change)) = $0.event { change } else { nil } }
    }

    private func name(_ change: ServerChange) -> String { String("\(change)".prefix { $0 != "(" }) }

    @Test func `Every event is written and read again, as text and as bytes`() throws {
        let market = try eventful()
        let records = try market.ledger.read(after: 0, limit: 100)
        let names = Set(changes(records).map(name))
        let expected: Set = [
            "extended", "notExtended", "extendedAll", "tokenSet", "consumptionReported", "refundRequested",
            "refundDeclined", "refundReversed", "consentRescinded", "notificationsBegun", "testRequested", "attempted",
            "finished", "retention",
        ]
        #expect(names == expected)
        for record in records {
            #expect(try JSONDecoder().decode(LedgerRecord.self, from: JSONEncoder().encode(record)) == record)
            #expect(try LedgerRecord(unpacking: record.packed()) == record)
        }
    }

    @Test func `The written form has short names`() throws {
        let change = ServerChange.refundRequested(transaction: 7, reason: "LEGAL")
        let record = LedgerRecord(date: Date(timeIntervalSinceReferenceDate: 0), event: .operator(.server(change)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let request = #"{"reason":"LEGAL","transaction":7}"#
        let text = #"{"date":0,"event":{"owner":{"_0":{"server":{"_0":{"refundRequested":\#(request)}}}}}}"#
        #expect(String(decoding: try encoder.encode(record), as: UTF8.self) == text)
    }

    @Test(arguments: [false, true])
    func `A store opened again is the same store, also on a snapshot`(isDurable: Bool) throws {
        let ledger: any Ledger = isDurable ? SnapshotLedger() : MemoryLedger()
        let market = try eventful(on: ledger)
        let again = try SandboxStore(clock: market.clock, ledger: ledger, locale: "en_US")
        if let ledger = ledger as? SnapshotLedger { #expect(try #require(ledger.snapshot()).position > 20) }
        #expect(again.refundRequests == ["2"] && again.account.subscriptions == market.store.account.subscriptions)
        let view = ServerView(again)
        #expect(try view.massExtension(of: "gold.monthly", request: "all")?.failedCount == 1)
        let refusal = ServerRefusal.extendedTooOften("5")
        #expect(throws: refusal) { try view.extendRenewal(of: "5", days: 1, reason: 0, request: "three") }
        let token = UUID(named: "user").uuidString.lowercased()
        #expect(try view.transaction("5")?.payload.appAccountToken == token)
        market.clock.advance(by: 60 * 86_400)
        #expect(try view.transaction("6")?.payload.appAccountToken == token)
        #expect(again.device.driver.state.withLock { $0.state.server.notifies })
        let head = ledger is SnapshotLedger ? try ledger.head : try market.ledger.head
        try view.beginNotifications()
        #expect(try ledger.head == head)
    }

    @Test func `The timeline has a sentence for each`() throws {
        let market = try eventful()
        let lines = try market.store.timeline.entries.map(\.what)
        let expected = [
            "servers are notified from now on", "renewal date extended by 3 days, to 2025-02-04 00:00:00",
            "renewal date extended by 3 days, to 2025-02-07 00:00:00",
            "renewal date not extended with the others: it was twice within 365 days",
            "renewal dates of all subscribers in USA extended: 0, not: 1",
            "belongs to the app's user \(UUID(named: "user").uuidString.lowercased()) from now on",
            "a server has reported on its consumption", "refund requested (LEGAL), and to be decided",
            "refund requested, and to be decided", "refund declined", "refund taken back; its subscription continues",
            "consent to the use of the app withdrawn", "test notification requested", "finished by a server",
            "retention message \(UUID(named: "stay").uuidString.lowercased()) uploaded",
        ]
        for line in expected { #expect(lines.contains(line), "\(line)") }
        #expect(lines.contains { $0.hasPrefix("notification 1 about record ") && $0.hasSuffix(" sent: SUCCESS") })
        #expect(lines.allSatisfy { !$0.isEmpty })
    }

    @Test func `Without any one record the rest of the ledger is read, and what refers to it left out`() throws {
        let market = try eventful()
        let records = try market.ledger.read(after: 0, limit: 100)
        let setUp = records.prefix { if case .registered = $0.event { true } else { false } }.count
        for lost in setUp..<records.count {
            var rest = records
            rest[lost] = .unreadable
            let ledger = MemoryLedger()
            #expect(ledger.append(rest, ifHeadIs: 0))
            let store = try SandboxStore(clock: market.clock, ledger: ledger, locale: "en_US")
            let view = ServerView(store)
            let told = try view.notifications(after: nil, limit: .max).count
            #expect(try store.timeline.entries.count == records.count + told)
            #expect(told <= records.count)
            _ = try view.history(ServerHistoryQuery(of: "2"))
            _ = store.refundRequests
        }
    }

    @Test func `A change that cannot be written has not happened`() throws {
        let ledger = FailingLedger()
        let market = try Market(ledger: ledger)
        let view = ServerView(market.store)
        try view.beginNotifications()
        try market.store.account.buy("gold.monthly")
        ledger.failing = .append
        #expect(throws: (any Error).self) { try view.extendRenewal(of: "1", days: 3, reason: 0, request: "one") }
        #expect(throws: (any Error).self) {
            try view.extendRenewals(of: "gold.monthly", days: 3, reason: 0, request: "all", storefronts: [])
        }
        #expect(throws: (any Error).self) { try view.requestTestNotification() }
        #expect(throws: (any Error).self) { try view.setAppAccountToken(UUID(), ofOriginal: "1") }
        ledger.repair()
        #expect(market.store.account.subscriptions.map(\.expirationDate) == [Market.date("2025-02-01T00:00:00Z")])
        #expect(try view.notifications(after: nil, limit: .max).map(\.words) == ["SUBSCRIBED INITIAL_BUY #1"])
        #expect(try view.massExtension(of: "gold.monthly", request: "all")?.isComplete == nil)
    }

    @Test func `Orders and numbers belong together, whatever the number`() {
        var random = SplitMix64(seed: 17)
        let numbers = [0, 1, 2, 77, 1 << 45 - 1] + (0..<200).map { _ in Int.random(in: 0..<1 << 45, using: &random) }
        for number in numbers.map(TransactionNumber.init(rawValue:)) {
            #expect(number.orderIdentifier.flatMap { TransactionNumber(order: $0) } == number)
        }
        #expect(TransactionNumber(rawValue: 1 << 45).orderIdentifier == nil)
        #expect(TransactionNumber(rawValue: -1).orderIdentifier == nil)
    }
}

import Foundation
import Testing

@testable import StoreCore

/// What a ledger has of purchases outside of the store.
@Suite struct ExternalPurchaseTests {
    private let clock = ManualClock()
    private let ledger = MemoryLedger()
    private let store: SandboxStore

    init() throws {
        store = try SandboxStore(clock: clock, ledger: ledger)
        store.externalPurchases = ExternalPurchaseSettings(
            presentsNotice: true,
            usesCustomLinks: true,
            links: [URL(string: "https://example.com/buy")].compactMap(\.self),
            tokenLifetime: 31 * 86_400,
            paymentBinding: .bound
        )
    }

    private func token(_ type: String? = nil) throws -> ExternalPurchaseToken {
        let answer = try store.device.external(ExternalRequest(type == nil ? .notice : .token, type: type))
        return try #require(answer.token.flatMap { ExternalPurchaseToken(value: $0) })
    }

    private func report(_ token: ExternalPurchaseToken, _ request: String = "1") throws {
        var draft = ExternalReportDraft()
        (draft.request, draft.token, draft.status) = (request, token.externalPurchaseId, .noLineItem)
        try ServerView(store).takeReport(draft, json: Data("{}".utf8), mistakes: [])
    }

    /// Makes one event of each kind.
    private func makeAll() throws {
        _ = try token("SERVICES")
        try report(try token())
        _ = try store.device.external(ExternalRequest(.openLink))
        _ = try store.device.external(ExternalRequest(.bindPaymentMethod, identifier: "carrier"))
        clock.advance(by: 40 * 86_400)
    }

    private var changes: [ExternalChange] {
        get throws {
            ledger.read(after: 0, limit: 100).compactMap {
                if case .operator(.external(let change)) = $0.event { change } else { nil }
            }
        }
    }

    @Test func `Every event is written and read again, as text and as bytes`() throws {
        try makeAll()
        let names = Set(try changes.map { String("\($0)".prefix { $0 != "(" }) })
        #expect(
            names == ["tokenMade", "linkOpened", "reported", "reminded", "unreported", "paymentMethodBound"]
        )
        for record in ledger.read(after: 0, limit: 100) {
            #expect(try JSONDecoder().decode(LedgerRecord.self, from: JSONEncoder().encode(record)) == record)
            #expect(try LedgerRecord(unpacking: record.packed()) == record)
        }
    }

    @Test func `A snapshot has the tokens, the reports and the next notification`() throws {
        try makeAll()
        _ = try token("SERVICES")
        let state = store.device.driver.state.withLock { $0.state }
        var pack = BinaryEncoder()
        try state.pack(into: &pack)
        var unpacking = BinaryDecoder(pack.data)
        let again = try SandboxState(unpacking: &unpacking)
        #expect(again.operatorState.external == state.operatorState.external)
        #expect(again.nextDue == clock.now + 30 * 86_400)
        #expect(again.operatorState.external?.tokens.count == 4)
    }

    /// A durable ledger in memory, which counts the snapshots.
    private final class CountingLedger: DurableLedger {
        private let records = MemoryLedger()
        private let kept = Locked<[LedgerSnapshot]>([])

        var lane: BackendLane { .caller }
        var snapshotDistance: Int { 1 }
        var head: Int { records.head }
        var snapshotCount: Int { kept.withLock { $0.count } }

        func append(_ new: [LedgerRecord], ifHeadIs head: Int) -> Bool { records.append(new, ifHeadIs: head) }
        func commit() {}
        func read(after position: Int, limit: Int) -> [LedgerRecord] { records.read(after: position, limit: limit) }
        func snapshot() -> LedgerSnapshot? { kept.withLock { $0.last } }
        func keep(_ snapshot: LedgerSnapshot) { kept.withLock { $0.append(snapshot) } }
    }

    @Test func `A snapshot, which grows with the tokens, is not written with each of them`() throws {
        let ledger = CountingLedger()
        let other = try SandboxStore(clock: clock, ledger: ledger)
        other.externalPurchases = store.externalPurchases
        for _ in 0..<40 { _ = try other.device.external(ExternalRequest(.notice)) }
        #expect(other.externalPurchaseTokens.count == 40 && ledger.snapshotCount < 10)
    }

    @Test func `A token expires within a century, and at once if its lifetime is no time`() throws {
        let cases: [(lifetime: TimeInterval, seconds: TimeInterval)] = [
            (-60, 0), (-.infinity, 0), (.nan, 0), (.infinity, 100 * 31_557_600),
        ]
        for (lifetime, seconds) in cases {
            store.externalPurchases.tokenLifetime = lifetime
            let token = try token("SERVICES")
            #expect(token.expirationDate == token.creationDate + seconds, "\(lifetime)")
        }
    }

    @Test func `A store that is opened late tells servers once of what fell due`() throws {
        _ = try token()
        let later = ManualClock(startingAt: clock.now + 50 * 86_400)
        let again = try SandboxStore(clock: later, ledger: ledger)
        #expect(again.externalPurchaseTokens == store.externalPurchaseTokens)
        let told = ledger.read(after: 0, limit: 100).filter { record in
            if case .operator(.external(.unreported)) = record.event { true } else { false }
        }
        #expect(told.map(\.date) == [clock.now + 10 * 86_400])
        later.advance(by: 50 * 86_400)
        _ = try SandboxStore(clock: later, ledger: ledger)
        #expect(try changes.count == 2)
    }

    @Test func `Without its token, an event of a damaged ledger is skipped`() throws {
        let token = try token()
        try report(token)
        var records = ledger.read(after: 0, limit: 100)
        let place = try #require(
            records.firstIndex { if case .operator(.external(.tokenMade)) = $0.event { true } else { false } }
        )
        records[place] = .unreadable
        let damaged = MemoryLedger()
        #expect(damaged.append(records, ifHeadIs: 0))
        let again = try SandboxStore(clock: clock, ledger: damaged)
        #expect(again.externalPurchaseTokens.isEmpty && again.externalPurchaseReports.isEmpty)
    }

    @Test func `The timeline has a sentence for each`() throws {
        try makeAll()
        let lines = try store.timeline.entries.map(\.what)
        let expected = [
            "a token of the type SERVICES for purchases outside was made: SANDBOX_",
            "a token for purchases outside was made: SANDBOX_", "a server has reported on SANDBOX_",
            "the link https://example.com/buy was opened outside of the app", "the payment method carrier was added",
            "servers are told that nothing is reported on SANDBOX_", "servers are reminded that SANDBOX_",
        ]
        for sentence in expected { #expect(lines.contains { $0.hasPrefix(sentence) }, "\(sentence)") }
    }

    @Test func `A signed-out device makes no token and binds nothing`() throws {
        try store.device.signOut()
        for action in [ExternalRequest.Action.notice, .openLink, .bindPaymentMethod] {
            let failure = #expect(throws: StoreFailure.self) {
                try store.device.external(ExternalRequest(action, identifier: "carrier"))
            }
            #expect(failure?.code == StoreFailure.Code.clientInvalid.rawValue)
        }
        #expect(try changes.isEmpty)
    }
}

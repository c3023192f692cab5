import StoreCore
import Testing

/// Connections that what happens in the store does not concern.
@Suite(.timeLimit(.minutes(10))) struct IdleConnectionTests {
    /// The most records that a connection has to look at again.
    private let stride = 1024
    private let clock = ManualClock()
    private let ledger = ReadCountingLedger()
    private let store: SandboxStore
    private let stranger: SandboxAccount

    init() throws {
        store = try SandboxStore(products: [.consumable("sword", price: "1")], clock: clock, ledger: ledger)
        stranger = try store.addAccount("stranger")
    }

    private func buyElsewhere(_ count: Int) throws { for _ in 0..<count { try stranger.buy("sword") } }

    @Test func `The cursor of a connection without news moves along, in a chain of empty batches`() throws {
        let receiver = UpdateRecorder()
        store.connect(receiver, after: nil)
        try buyElsewhere(3 * stride)
        #expect(receiver.batches.count == 4)
        #expect(receiver.batches.dropFirst().map(\.after) == receiver.batches.dropLast().map(\.through))
        #expect(receiver.batches.allSatisfy { $0.updates.isEmpty })
        #expect(ledger.head - (receiver.cursor?.position ?? 0) < stride)
    }

    @Test func `A connection from far behind is told in parts, each of which looks at few records`() throws {
        let receiver = UpdateRecorder()
        store.connect(receiver, after: nil)
        store.disconnect(receiver)
        try buyElsewhere(3 * stride)
        try store.account.buy("sword")
        ledger.forgetReads()
        let reader = UpdateReader(store, after: receiver.cursor)
        for _ in 1...3 {
            #expect(reader.read().isEmpty)
            #expect(ledger.recordsRead == stride)
            ledger.forgetReads()
        }
        #expect(reader.read() == ["sword"])
    }

    @Test func `A queue that reconnects without news looks at few records, and its observers hear nothing`() throws {
        let app = App(on: store)
        try buyElsewhere(3 * stride)
        ledger.forgetReads()
        store.isReachable = false
        store.isReachable = true
        clock.advance(by: 3600)
        #expect(ledger.recordsRead < stride && app.recorder.history.isEmpty)
        try store.account.buy("sword")
        #expect(app.recorder.history == [.updated("sword", .purchased), .removed("sword")])
    }
}

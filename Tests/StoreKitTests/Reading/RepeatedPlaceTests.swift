import StoreCore
import StoreKit
import Testing

/// A store whose pages of transactions end where they begin, so that whoever goes on would go on forever.
@Suite struct RepeatedPlaceTests {
    private let lines = Locked<[String]>([])
    private var log: StoreLog { StoreLog { [lines] line in lines.withLock { $0.append(line) } } }

    @Test func `A sequence of transactions ends, and says why`() async throws {
        let store = HistoryStore([try TransactionPayload.sample().signed()], repeatsPlaces: true)
        let all = await store.run(log: log) { await Transaction.all.all() }
        #expect(all.count == 2)
        #expect(lines.withLock { $0 }.contains { $0.contains("ends where it begins") })
    }

    @Test func `A finish ends, and says why`() async throws {
        let store = HistoryStore([try TransactionPayload.sample().signed()], repeatsPlaces: true)
        await store.run(log: log) { await Transaction.all.first(1).first?.unsafePayloadValue.finish() }
        #expect(lines.withLock { $0 }.contains { $0.contains("ends where it begins") })
    }
}

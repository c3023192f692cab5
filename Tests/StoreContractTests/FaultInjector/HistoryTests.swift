import StoreContract
import StoreCore
import Testing

/// The history passes an injector as it is.
@Suite struct HistoryTests {
    @Test func `A store behind an injector keeps every promise of its history`() async {
        let report = await StoreContract.check(.sandbox { FaultInjector($0) })
        #expect(report.isKept, "\(report)")
        #expect(report.notTried.isEmpty, "\(report)")
    }

    @Test func `No fault changes the history`() async throws {
        let shop = try Shop()
        let bought = try shop.store.account.buy("sword")
        for point in FaultInjector.Point.allCases { shop.injector.add(.drop, at: point) }
        shop.injector.cut()
        let history = try #require(shop.injector.services.history)
        let page = try await withCheckedThrowingContinuation { continuation in
            history.transactions(HistoryQuery(.all)) { continuation.resume(with: $0) }
        }
        #expect(page.transactions.map(\.payload.transactionId) == [bought])
        #expect(shop.injector.log.count == 1)
    }
}

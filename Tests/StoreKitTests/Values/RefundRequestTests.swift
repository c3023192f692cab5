import StoreCore
import StoreKit
import Testing

@Suite struct RefundRequestTests {
    /// Returns the error of a request for a refund in a context, as text.
    private func failure(in context: StoreContext) async -> String {
        await context.run {
            do { return "\(try await Transaction.beginRefundRequest(for: 1))" } catch { return "\(error)" }
        }
    }

    @Test func `A canceled request for a refund throws a cancellation`() async throws {
        let flaky = FlakyStore(try SandboxStore(products: Shop.products))
        flaky.isLate = true
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        let task = context.run { Task { try await Transaction.beginRefundRequest(for: 1) } }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func `A store that cannot be reached is no store that refuses`() async throws {
        let store = try SandboxStore(products: Shop.products)
        let flaky = FlakyStore(store)
        flaky.refundFailure = .network(.notConnectedToInternet, "offline")
        let context = StoreContext(backend: flaky, delivery: .inline, log: .silent)
        #expect(await failure(in: context).hasPrefix("networkError"))
        flaky.refundFailure = .storeKit(.unknown, "not today")
        #expect(await failure(in: context) == "failed")
    }

    @Test func `A store without a history says so to a request for a refund`() async throws {
        let context = StoreContext(backend: nil, delivery: .inline, log: .silent)
        #expect(await failure(in: context).contains("no store is set"))
        context.use(PlainStore(try SandboxStore(products: Shop.products)))
        #expect(await failure(in: context).contains("HistoryService"))
    }
}

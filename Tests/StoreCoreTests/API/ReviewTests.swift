import StoreCore
import Testing

@Suite struct ReviewTests {
    @Test func `Asking for a review shows nothing, and writes a line that a test can read`() {
        let lines = Locked<[String]>([])
        let context = StoreContext(log: StoreLog { line in lines.withLock { $0.append(line) } })
        context.run { SKStoreReviewController.requestReview() }
        #expect(lines.withLock { $0 }.count == 1)
        #expect(lines.withLock { $0 }.first?.contains("review") == true)
    }
}

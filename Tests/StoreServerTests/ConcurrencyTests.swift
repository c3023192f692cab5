import Foundation
import StoreCore
import StoreServer
import Testing

/// Many clients of one router, while the store sells.
@Suite(.libcrypto) struct ConcurrencyTests {
    @Test func `Each answer is one that the store could give, in the order of its purchases`() throws {
        let shop = try Shop()
        let first = try shop.account.buy("coins")
        try ServerView(shop.store).beginNotifications()
        let wrong = Locked<[String]>([])
        let threads = (0..<8).map { _ in
            let done = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                defer { done.signal() }
                do {
                    var seen: [Int] = []
                    var revision = ""
                    for _ in 0..<15 {
                        let page = try shop.ask("GET", "v2/history/\(first)\(revision)").json
                        seen += page.signedTransactions.list.compactMap {
                            $0.payload.transactionId.text.flatMap { Int($0) }
                        }
                        revision = page.revision.text.map { "?revision=\($0)" } ?? ""
                        let status = try shop.verify(shop.receipt).status.number
                        if status != 0 { wrong.withLock { $0.append("status \(status ?? -1)") } }
                        _ = try shop.ask("POST", "v1/transactions/\(first)/finish")
                    }
                    // Nothing twice, and nothing left out.
                    if seen != Array(1...seen.count) { wrong.withLock { $0.append("\(seen)") } }
                } catch {
                    wrong.withLock { $0.append("\(error)") }
                }
            }
            return done
        }
        for _ in 0..<60 { try shop.account.buy("coins") }
        for thread in threads { thread.wait() }
        #expect(wrong.withLock { $0 }.isEmpty)
        #expect(try ServerView(shop.store).notifications(after: nil, limit: 1000).count == 60)
    }
}

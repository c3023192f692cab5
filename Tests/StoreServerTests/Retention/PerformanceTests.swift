import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

/// Tests of the performance of a server that chooses retention messages.
@Suite(.libcrypto) struct PerformanceTests {
    private let shop: Shop
    private let transport = AnsweringTransport()
    private let client: RealtimeClient
    private let router: ServerRouter
    private let gold: String

    init() throws {
        shop = try Shop()
        let view = ServerView(shop.store)
        client = RealtimeClient(view, transport: transport)
        let now = { @Sendable [clock = shop.clock] in clock.now }
        router = ServerRouter(shop.store, view: view, key: shop.key, realtime: client, now: now)
        gold = try shop.buy("gold")
        try shop.store.setRetentionURL("https://example.com/message")
    }

    private func ask(_ method: String, _ path: String, _ body: [String: AnswerValue]? = nil) throws -> JSON {
        let request = HTTPRequest(
            method,
            "/inApps/v1/messaging/performanceTest\(path)",
            headers: ["Authorization": "Bearer \(try shop.key.token(shop.claims))"],
            body: body.map { AnswerValue.object($0).json } ?? Data()
        )
        return try JSON(data: router.respond(to: request).body)
    }

    private func begin() throws -> JSON { try ask("POST", "", ["originalTransactionId": .text(gold)]) }

    @Test func `A server that answers passes, and its times are told`() throws {
        let begun = try begin()
        #expect(begun.config.totalRequests.number == 100 && begun.config.responseTimeThreshold.number == 700)
        #expect(begun.config.maxConcurrentRequests.number == 10 && begun.config.successRateThreshold.number == 95)
        #expect(begun.config.totalDuration.number == 7000)
        let result = try ask("GET", "/result/\(try #require(begun.requestId.text))")
        #expect(result.result.text == "PASS" && result.successRate.number == 100 && result.numPending.number == 0)
        #expect(result.target.text == "https://example.com/message" && result.failures.keys.isEmpty)
        #expect(result.config.totalRequests.number == 100)
        #expect(result.responseTimes.keys == ["average", "p50", "p90", "p95", "p99"])
        #expect(transport.questions.count == 100)
        #expect(Set(transport.questions.map(\.payload.requestIdentifier.text)).count == 100)
        #expect(transport.questions.allSatisfy { $0.payload.originalTransactionId.text == gold })
    }

    @Test func `A server that fails too often does not pass, with the number of each failure`() throws {
        let count = Locked(0)
        transport.answers { _ in
            let number = count.withLock { count in
                count += 1
                return count
            }
            if number <= 4 { return (.timedOut, nil, Data()) }
            return number <= 6 ? (.success, 204, Data()) : (.success, 200, Data())
        }
        let result = try ask("GET", "/result/\(try #require(try begin().requestId.text))")
        #expect(result.result.text == "FAIL" && result.successRate.number == 94)
        #expect(result.failures.TIMED_OUT.number == 4)
        #expect(result.failures.UNSUCCESSFUL_HTTP_RESPONSE_CODE.number == 2)
    }

    @Test func `A test in progress is pending, and the only one`() throws {
        transport.hold()
        let identifier = try #require(try begin().requestId.text)
        #expect(transport.questions.count == 10)
        let pending = try ask("GET", "/result/\(identifier)")
        #expect(pending.result.text == "PENDING" && pending.numPending.number == 100)
        #expect(try begin().errorCode.number == 4_000_213)
        transport.release()
        #expect(try ask("GET", "/result/\(identifier)").result.text == "PASS")
        #expect(try ask("GET", "/result/\(try #require(try begin().requestId.text))").result.text == "PENDING")
        transport.release()
    }

    @Test func `A test that makes no sense, or does not exist, has its error`() throws {
        let coins = try shop.buy("coins")
        #expect(try ask("POST", "", [:]).errorCode.number == 4_000_211)
        #expect(try ask("POST", "", ["originalTransactionId": .text("x")]).errorCode.number == 4_000_006)
        #expect(try ask("POST", "", ["originalTransactionId": .text("99")]).errorCode.number == 4_040_010)
        #expect(try ask("POST", "", ["originalTransactionId": .text(coins)]).errorCode.number == 4_000_211)
        shop.clock.advance(by: 35 * 86_400)
        let renewal = try #require(try shop.store.transactions.last?.id)
        #expect(try ask("POST", "", ["originalTransactionId": .text(renewal)]).errorCode.number == 4_000_187)
        #expect(try ask("GET", "/result/x").errorCode.number == 4_000_212)
        #expect(try ask("GET", "/result/\(UUID().uuidString)").errorCode.number == 4_040_018)
        try shop.store.setRetentionURL(nil)
        #expect(try begin().errorCode.number == 4_000_211)
    }

    @Test func `A test is about a subscription that runs, of any kind that renews`() throws {
        let month = StoreProduct.Period(1, .month)
        try shop.store.register(.subscriptionSuite("studio", price: "9.99", period: month, group: "studio"))
        let studio = try shop.buy("studio")
        #expect(try ask("POST", "", ["originalTransactionId": .text(studio)]).requestId.text != nil)
        try shop.account.expireSubscription(inGroup: "metals")
        #expect(try begin().errorCode.number == 4_000_211)
    }

    @Test func `A test whose server stops asks no more, and is not passed`() throws {
        transport.hold()
        let identifier = try #require(try begin().requestId.text)
        client.stop()
        transport.release()
        #expect(transport.questions.count == 10)
        #expect(try ask("GET", "/result/\(identifier)").result.text == "FAIL")
    }

    @Test func `Times are told as an average and percentiles`() {
        let times = RetentionTest.Times(Array((1...100).reversed()))
        #expect(times.average == 50 && times.p50 == 51 && times.p90 == 91 && times.p95 == 96 && times.p99 == 100)
        #expect(RetentionTest.Times([]) == RetentionTest.Times([0]))
    }
}

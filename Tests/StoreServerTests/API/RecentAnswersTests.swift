import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// The answers that a server gives again; ES256 signs the same bytes otherwise each time, so that the same signature is the same
/// answer.
@Suite(.libcrypto) struct RecentAnswersTests {
    private func pages(_ shop: Shop, _ transaction: String, _ query: String = "") throws -> [String?] {
        let answer = try shop.ask("GET", "v2/history/\(transaction)\(query)")
        #expect(answer.status == 200)
        return answer.json.signedTransactions.list.map(\.text)
    }

    @Test func `The same question in the same second has the same answer`() throws {
        let shop = try Shop.sandbox(try CertificateAuthority(now: ManualClock().now))
        let coins = try shop.buy("coins")
        let first = try pages(shop, coins)
        #expect(first.count == 1)
        #expect(try pages(shop, coins) == first && pages(shop, coins, "?productType=NON_CONSUMABLE").isEmpty)
        #expect(try pages(shop, coins) == first)
    }

    @Test
    func `A change of the store, the next second and a wrong signature each have an answer of their own`() throws {
        let shop = try Shop.sandbox(try CertificateAuthority(now: ManualClock().now))
        let coins = try shop.buy("coins")
        let first = try pages(shop, coins)
        let more = try shop.buy("coins")
        #expect(try pages(shop, coins).count == 2)
        try shop.store.refund(coins)
        let refunded = try shop.ask("GET", "v2/history/\(coins)").json.signedTransactions.list.map(\.payload)
        #expect(refunded.map(\.transactionId.text) == [more, coins])
        #expect(refunded.map { $0.revocationDate.number != nil } == [false, true])
        let last = try pages(shop, coins)
        shop.clock.advance(by: 1)
        let later = try pages(shop, coins)
        #expect(later.count == 2 && later != last && later.first != first.first)
        shop.store.signatureDefect = .invalidSignature
        #expect(try pages(shop, coins) != later)
        shop.store.signatureDefect = nil
        #expect(try pages(shop, coins) == later)
    }
}

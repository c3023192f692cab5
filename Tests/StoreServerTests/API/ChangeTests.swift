import Foundation
import StoreCore
import StoreCrypto
import StoreServer
import Testing

/// The functions of the API that change the store.
@Suite(.libcrypto) struct ChangeTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    private static func extensionBody(_ days: Int = 10, _ request: String = "request") -> [String: AnswerValue] {
        ["extendByDays": .number(days), "extendReasonCode": .number(1), "requestIdentifier": .text(request)]
    }

    @Test func `A renewal is extended, and the subscription ends later`() throws {
        let gold = try shop.buy("gold")
        let (status, json) = try shop.ask("PUT", "v1/subscriptions/extend/\(gold)", .object(Self.extensionBody()))
        #expect(status == 200)
        #expect(json.keys == ["originalTransactionId", "webOrderLineItemId", "success", "effectiveDate"])
        #expect(json.originalTransactionId.text == gold && json.success.bool == true)
        #expect(json.effectiveDate.number == 1_738_368_000_000 + 10 * 86_400_000)
        let transaction = try shop.ask("GET", "v1/transactions/\(gold)").json.signedTransactionInfo.payload
        #expect(transaction.expiresDate.number == json.effectiveDate.number)
    }

    @Test func `All active subscribers are extended by one request, whose outcome is answered`() throws {
        let other = try shop.store.addAccount("other")
        let transactions = [try shop.buy("gold"), try shop.buy("gold", other)]
        var body = Self.extensionBody(30, "a request")
        body["productId"] = .text("gold")
        body["storefrontCountryCodes"] = .list([.text("USA"), .text("DEU")])
        // Apple's client has a slash at the end.
        let (status, json) = try shop.ask("POST", "v1/subscriptions/extend/mass/", .object(body))
        #expect(status == 200 && json.requestIdentifier.text == "a request" && json.keys == ["requestIdentifier"])
        let outcome = try shop.ask("GET", "v1/subscriptions/extend/mass/gold/a%20request").json
        #expect(outcome.requestIdentifier.text == "a request" && outcome.complete.bool == true)
        #expect(outcome.succeededCount.number == 2 && outcome.failedCount.number == 0)
        #expect(outcome.completeDate.number == 1_735_689_720_000)
        for transaction in transactions {
            let payload = try shop.ask("GET", "v1/transactions/\(transaction)").json.signedTransactionInfo.payload
            #expect(payload.expiresDate.number ?? 0 > 1_740_000_000_000)
        }
    }

    @Test func `A token of the app's user is set, and shown by the transaction`() throws {
        let gold = try shop.buy("gold")
        let token = UUID().uuidString
        let body = AnswerValue.object(["appAccountToken": .text(token)])
        let (status, json) = try shop.ask("PUT", "v1/transactions/\(gold)/appAccountToken", body)
        #expect(status == 200 && json.value == nil)
        let payload = try shop.ask("GET", "v1/transactions/\(gold)").json.signedTransactionInfo.payload
        #expect(payload.appAccountToken.text == token.lowercased())
    }

    @Test func `A transaction is finished, again without an effect`() throws {
        let coins = try shop.buy("coins")
        #expect(try shop.store.device.unfinished.count == 1)
        for _ in 0..<2 {
            let (status, json) = try shop.ask("POST", "v1/transactions/\(coins)/finish")
            #expect(status == 200 && json.value == nil)
        }
        #expect(try shop.store.device.unfinished.isEmpty && shop.ask("GET", "v1/transactions/\(coins)").status == 200)
    }

    @Test func `A request that is refused changes nothing`() throws {
        let gold = try shop.buy("gold")
        let head = try shop.ledger.head
        #expect(try shop.error("PUT", "v1/subscriptions/extend/\(gold)", .object(Self.extensionBody(91))) == 4_000_009)
        #expect(try shop.error("PUT", "v1/transactions/\(gold)/appAccountToken", .object([:])) == 4_000_183)
        #expect(try shop.error("PUT", "v1/transactions/consumption/\(gold)", .object([:])) == 4_000_035)
        #expect(try shop.ledger.head == head)
    }
}

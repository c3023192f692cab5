import Foundation
import StoreCore
import StoreCrypto
import Testing

@testable import StoreServer

@Suite(.libcrypto) struct StatusTests {
    private let shop: Shop

    init() throws { shop = try Shop() }

    @Test func `B191: A receipt of the store has status 0, and the answer names the environment`() throws {
        let shop = try Shop.sandbox(try CertificateAuthority(now: ManualClock().now))
        try shop.buy("sword")
        for base in ["", "/sandbox"] {
            let answer = try shop.verify(shop.receipt, base: base)
            #expect(answer.status.number == 0 && answer.environment.text == "Sandbox")
            #expect(answer.receipt.bundle_id.text == Shop.bundleIdentifier)
            #expect(answer.receipt.receipt_type.text == "ProductionSandbox")
            #expect(answer.receipt.in_app.list.map(\.product_id.text) == ["sword"])
            // Only subscriptions that renew have more.
            #expect(answer.keys == ["status", "environment", "receipt"])
        }
    }

    @Test func `A receipt without purchases has status 0`() throws {
        let receipt = AppReceipt(
            bundleIdentifier: Shop.bundleIdentifier,
            bundleVersion: "1.0",
            device: Data([1]),
            opaqueValue: Data([2]),
            creationDate: shop.clock.now
        )
        let answer = try shop.verify(try receipt.data(signedBy: shop.store.signer))
        #expect(answer.status.number == 0 && answer.receipt.in_app.list.isEmpty)
    }

    @Test(arguments: ["GET", "PUT", "HEAD", "post"])
    func `B191: What is not a POST has status 21000`(method: String) throws {
        let body = AnswerValue.object(["receipt-data": .text(shop.receipt.base64EncodedString())]).json
        #expect(try shop.verify(body: body, method: method).status.number == 21000)
    }

    @Test(arguments: [
        "", "{", "[", "[]", "null", "{}", #"{"receipt-data":7}"#, #"{"receipt-data":""}"#, #"{"receipt-data":"!"}"#,
        #"{"receipt-data":"aGVsbG8="}"#, #"{"receipt-data":"eyJhIjoxfQ=="}"#, #"{"receipt-data":null}"#,
        "{\"receipt-data\":\"\u{0}\"}", String(repeating: "[", count: 10_000), #"{"receipt-data":"MAA="}"#,
    ])
    func `B191: A body without a receipt has status 21002`(body: String) throws {
        let answer = try shop.verify(body: Data(body.utf8))
        #expect(answer.status.number == 21002 && answer.keys == ["status"])
    }

    @Test func `B191: A receipt that was tampered with has status 21002 or 21003, and another store's 21003`() throws {
        try shop.buy("sword")
        var receipt = shop.receipt
        // One that was verified before vouches for no other.
        #expect(try shop.verify(receipt).status.number == 0)
        for index in stride(from: 0, to: receipt.count, by: 17) {
            receipt[index] ^= 1
            #expect([21002, 21003].contains(try shop.verify(receipt).status.number))
            receipt[index] ^= 1
        }
        #expect(try Shop(signer: { _ in HMACReceiptSigner() }).verify(receipt).status.number == 21003)
    }

    @Test func `B191: A wrong shared secret has status 21004, also a missing one where a subscription renews`() throws {
        let shop = try Shop(sharedSecret: "secret")
        try shop.buy("sword")
        #expect(try shop.verify(shop.receipt).status.number == 0)
        #expect(try shop.verify(shop.receipt, ["password": .text("Secret")]).status.number == 21004)
        try shop.buy("gold")
        #expect(try shop.verify(shop.receipt).status.number == 21004)
        #expect(try shop.verify(shop.receipt, ["password": .text("")]).status.number == 21004)
        #expect(try shop.verify(shop.receipt, ["password": .number(7)]).status.number == 21004)
        #expect(try shop.verify(shop.receipt, ["password": .text("secret")]).status.number == 0)
    }

    @Test func `B191: A server that is not available has status 21005 until it is`() throws {
        try shop.buy("sword")
        shop.settings.isAvailable = false
        #expect(try shop.verify(shop.receipt).status.number == 21005)
        #expect(try shop.error("GET", "v1/transactions/1") == 5_000_001)
        shop.settings.isAvailable = true
        #expect(try shop.verify(shop.receipt).status.number == 0)
    }

    @Test func `B191: A sandbox receipt has status 21007 in production, and another store's receipt 21003`() throws {
        try shop.buy("sword")
        #expect(try shop.verify(shop.receipt, base: "/production").status.number == 21007)
        let other = try Shop(signer: { _ in HMACReceiptSigner() })
        #expect(try other.verify(shop.receipt, base: "/production").status.number == 21003)
    }

    @Test func `B191: A production receipt has status 21008 in the sandbox, at both bases of either store`() throws {
        let authority = try CertificateAuthority(now: ManualClock().now)
        let production = try Shop.production(authority)
        let sandbox = try Shop.sandbox(authority)
        try production.buy("sword")
        try sandbox.buy("sword")
        #expect(try production.verify(production.receipt).status.number == 0)
        #expect(try production.verify(production.receipt, base: "/production").receipt.adam_id.number == 1_234_567)
        #expect(try production.verify(production.receipt, base: "/sandbox").status.number == 21008)
        #expect(try production.verify(sandbox.receipt).status.number == 21007)
        #expect(try production.verify(sandbox.receipt, base: "/sandbox").status.number == 21003)
        #expect(try sandbox.verify(production.receipt).status.number == 21008)
        #expect(try sandbox.verify(production.receipt, base: "/production").status.number == 21003)
    }

    @Test func `B191: A ledger that cannot be read has status 21009`() throws {
        let ledger = BrokenLedger()
        let shop = try Shop(ledger: ledger)
        try shop.buy("sword")
        let receipt = shop.receipt
        ledger.isBroken = true
        #expect(try shop.verify(receipt).status.number == 21009 && shop.error("GET", "v1/transactions/1") == 5_000_000)
        ledger.isBroken = false
        #expect(try shop.verify(receipt).status.number == 0)
    }

    @Test func `B191: A receipt of which the store knows nothing any more has status 21010`() throws {
        let sword = try shop.buy("sword")
        let receipt = shop.receipt
        let old = try shop.oldReceipt(of: sword)
        #expect(try shop.verify(old).status.number == 0)
        try shop.store.deleteTransaction(sword)
        #expect(try shop.verify(receipt).status.number == 21010 && shop.verify(old).status.number == 21010)
    }

    @Test func `B191: Ordered failures come in their order, and say whether to try again`() throws {
        try shop.buy("sword")
        shop.settings.failVerifications(.init(status: 21100, isRetryable: true), times: 2)
        shop.settings.failVerifications(.init(status: 21199, isRetryable: false), times: 1)
        shop.settings.failVerifications(.init(status: 21009, isRetryable: true), times: 1)
        shop.settings.failVerifications(.init(status: 21001, isRetryable: true), times: 0)
        let answers = try (0..<5).map { _ in try shop.verify(shop.receipt) }
        #expect(answers.map(\.status.number) == [21100, 21100, 21199, 21009, 0])
        #expect(answers.map { $0["is-retryable"].bool } == [true, true, false, nil, nil])
    }
}

import Foundation
import StoreCore
import StoreServer
import Testing

/// The receipts of transactions, of 2009 to 2013.
@Suite(.libcrypto) struct OldReceiptTests {
    @Test func `A purchase's receipt is answered with its fields`() throws {
        let shop = try Shop()
        let coins = try shop.buy("coins")
        let answer = try shop.verify(try shop.oldReceipt(of: coins))
        #expect(answer.status.number == 0)
        #expect(answer.receipt.product_id.text == "coins" && answer.receipt.transaction_id.text == coins)
        #expect(answer.keys == ["status", "receipt"])
    }

    @Test func `A running subscription's has the latest receipt, and how it renews`() throws {
        let shop = try Shop()
        let gold = try shop.buy("gold")
        let receipt = try shop.oldReceipt(of: gold)
        shop.clock.advance(by: 40 * 86_400)
        let answer = try shop.verify(receipt)
        #expect(answer.status.number == 0 && answer.latest_receipt_info.original_transaction_id.text == gold)
        #expect(answer.latest_receipt_info.transaction_id.text != gold)
        #expect(answer.latest_receipt.text.flatMap { Data(base64Encoded: $0) }?.first == UInt8(ascii: "{"))
        #expect(answer.auto_renew_status.number == 1 && answer.auto_renew_product_id.text == "gold")
        #expect(answer.expiration_intent.text == nil)
        #expect(try shop.verify(receipt, base: "/production").status.number == 21007)
    }

    @Test func `An ended subscription's has status 21006, and the last period`() throws {
        let shop = try Shop()
        let gold = try shop.buy("gold")
        let receipt = try shop.oldReceipt(of: gold)
        try shop.account.setAutoRenew(false, inGroup: "metals")
        shop.clock.advance(by: 40 * 86_400)
        let answer = try shop.verify(receipt)
        #expect(answer.status.number == 21006 && answer.receipt.transaction_id.text == gold)
        #expect(answer.latest_expired_receipt_info.transaction_id.text == gold && answer.latest_receipt.text == nil)
        #expect(answer.auto_renew_status.number == 0 && answer.expiration_intent.text == "1")
    }

    @Test func `Only a subscription's receipt needs the shared secret`() throws {
        let shop = try Shop(sharedSecret: "secret")
        let coins = try shop.oldReceipt(of: try shop.buy("coins"))
        let gold = try shop.oldReceipt(of: try shop.buy("gold"))
        #expect(try shop.verify(coins).status.number == 0 && shop.verify(gold).status.number == 21004)
        #expect(try shop.verify(gold, ["password": .text("secret")]).status.number == 0)
    }

    @Test func `One that was tampered with, or is another store's, is refused`() throws {
        let shop = try Shop()
        var receipt = try shop.oldReceipt(of: try shop.buy("coins"))
        #expect(try Shop(signer: { _ in HMACReceiptSigner() }).verify(receipt).status.number == 21003)
        receipt[receipt.count / 2] ^= 1
        #expect([21002, 21003].contains(try shop.verify(receipt).status.number))
    }
}

import Foundation
import StoreCore
import Testing

struct `An answer about a receipt in JSON` {
    private func text(_ json: Data) -> String { String(decoding: json, as: UTF8.self) }

    @Test func `What is refused has a number and nothing else`() {
        #expect(text(ReceiptSamples.verify(Data("nonsense".utf8)).json) == #"{"status":21002}"#)
        let refusal = #expect(throws: ReceiptRefusal.self) {
            try AppReceipt(verifying: Data("nonsense".utf8), signer: ReceiptSamples.signer)
        }
        #expect(refusal.map { text($0.json) } == #"{"status":21002}"#)
    }

    @Test func `B128: a transaction's receipt is told as an object of strings`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: ReceiptSamples.signer)
        #expect(
            text(ReceiptSamples.verify(receipt).json)
                == #"{"receipt":{"bid":"com.example.coins","bvrs":"1.0","item_id":"520000000","#
                + #""original_purchase_date":"2012-01-01 00:00:00 Etc/GMT","#
                + #""original_purchase_date_ms":"1325376000000","#
                + #""original_purchase_date_pst":"2011-12-31 16:00:00 America/Los_Angeles","#
                + #""original_transaction_id":"1000000000000001","product_id":"coins.100","#
                + #""purchase_date":"2012-09-21 01:31:38 Etc/GMT","purchase_date_ms":"1348191098192","#
                + #""purchase_date_pst":"2012-09-20 18:31:38 America/Los_Angeles","quantity":"2","#
                + #""transaction_id":"1000000000000002"},"status":0}"#
        )
    }

    @Test func `B130: a subscription has its newest receipt beside it, under another name once it is over`() throws {
        let market = try Market()
        let app = App(on: market.store, finishes: false)
        app.buy("pro.monthly")
        let first = try #require(app.recorder.transactions.last?.transactionReceipt)
        func members() throws -> [String: Any] {
            let json = market.store.verify(receipt: first).json
            return try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        }
        let running = try members()
        #expect(running.keys.sorted() == ["latest_receipt", "latest_receipt_info", "receipt", "status"])
        #expect(running["latest_receipt"] as? String == first.base64EncodedString())
        #expect(running["latest_receipt_info"] as? [String: String] == running["receipt"] as? [String: String])

        try market.store.account.setAutoRenew(false, inGroup: "pro")
        market.clock.advance(by: 40 * 86_400)
        let over = try members()
        #expect(over.keys.sorted() == ["latest_expired_receipt_info", "receipt", "status"])
        #expect(over["status"] as? Int == 21006)
    }

    @Test func `B128: an app receipt is told with its purchases`() throws {
        var receipt = AppReceiptSamples.empty
        receipt.creationDate = ReceiptSamples.now
        receipt.purchases = [
            AppReceipt.Purchase(
                productIdentifier: "coins.100",
                transactionIdentifier: "3",
                purchaseDate: Date(timeIntervalSince1970: 0),
                kind: .consumable
            )
        ]
        let date = #"1970-01-01 00:00:00 Etc/GMT"#
        let pacific = #"1969-12-31 16:00:00 America/Los_Angeles"#
        #expect(
            text(try receipt.json(environment: "LocalTesting", requestedAt: ReceiptSamples.now + 1))
                == #"{"environment":"LocalTesting","receipt":{"adam_id":0,"app_item_id":0,"#
                + #""application_version":"1.2","bundle_id":"com.example.coins","download_id":0,"#
                + #""in_app":[{"is_trial_period":"false","original_purchase_date":"\#(date)","#
                + #""original_purchase_date_ms":"0","original_purchase_date_pst":"\#(pacific)","#
                + #""original_transaction_id":"3","product_id":"coins.100","purchase_date":"\#(date)","#
                + #""purchase_date_ms":"0","purchase_date_pst":"\#(pacific)","quantity":"1","transaction_id":"3"}],"#
                + #""original_application_version":"1.0","original_purchase_date":"2013-08-01 07:00:00 Etc/GMT","#
                + #""original_purchase_date_ms":"1375340400000","#
                + #""original_purchase_date_pst":"2013-08-01 00:00:00 America/Los_Angeles","#
                + #""receipt_creation_date":"2012-09-21 01:31:38 Etc/GMT","#
                + #""receipt_creation_date_ms":"1348191098000","#
                + #""receipt_creation_date_pst":"2012-09-20 18:31:38 America/Los_Angeles","#
                + #""receipt_type":"LocalTesting","request_date":"2012-09-21 01:31:39 Etc/GMT","#
                + #""request_date_ms":"1348191099192","#
                + #""request_date_pst":"2012-09-20 18:31:39 America/Los_Angeles","#
                + #""version_external_identifier":0},"status":0}"#
        )
    }

    @Test func `B128: an app receipt tells of a subscription's period what it has`() throws {
        let json = try AppReceiptSamples.full.json(environment: "LocalTesting", requestedAt: ReceiptSamples.now)
        let answer = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let receipt = try #require(answer["receipt"] as? [String: Any])
        #expect(receipt["expiration_date"] as? String == "2026-01-01 00:00:00 Etc/GMT")
        let purchases = try #require(receipt["in_app"] as? [[String: String]])
        let period = try #require(purchases.first { $0["product_id"] == "autoRenewable" })
        #expect(period["expires_date"] == "2025-01-02 00:00:00 Etc/GMT")
        #expect(period["expires_date_ms"] == "1735776000000")
        #expect(period["web_order_line_item_id"] == "1000000000123")
        #expect(period["is_trial_period"] == "true")
        #expect(period["is_in_intro_offer_period"] == "true")
        #expect(purchases.filter { $0["expires_date"] != nil }.count == 1)
    }

    @Test func `B176, B189: What does not count any more, and what a receipt says of itself, is told`() throws {
        let json = try AppReceiptSamples.full.json(environment: "ProductionSandbox", requestedAt: ReceiptSamples.now)
        let answer = try #require(try JSONSerialization.jsonObject(with: json) as? [String: Any])
        let receipt = try #require(answer["receipt"] as? [String: Any])
        #expect(receipt["receipt_type"] as? String == "ProductionVPPSandbox")
        #expect(receipt["revocation_date_ms"] as? String == "1764547200000")
        let purchases = try #require(receipt["in_app"] as? [[String: String]])
        #expect(purchases[0]["cancellation_date"] == "2025-01-01 00:02:00 Etc/GMT")
        #expect(purchases.dropFirst().allSatisfy { $0["cancellation_date"] == nil })
    }

    @Test func `A date that four digits of year cannot show is refused`() {
        #expect(throws: ReceiptError.self) {
            let moment = Date(timeIntervalSince1970: 1e12)
            return try AppReceiptSamples.empty.json(environment: "LocalTesting", requestedAt: moment)
        }
    }
}

/// The JSON of answers, which is written by hand.
struct AnswerValueTests {
    @Test func `JSON has sorted keys and the bytes that Foundation would write`() throws {
        let controls = (0..<0x21).map { String(UnicodeScalar(UInt8($0))) }.joined()
        let long = String(repeating: "a", count: 5_000)
        let texts = ["", "plain", "\"\\/", controls, "\u{7f}", "é🏰\u{2028}", long, long + "\n"]
        let keys = ["B", "a", "a_b", "aB", "a2", "a10", "é", "\"\n", ""]
        let plain = Dictionary(uniqueKeysWithValues: keys.map { ($0, texts) })
        let answer = AnswerValue.object(plain.mapValues { .list($0.map(AnswerValue.text)) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        #expect(answer.json == (try encoder.encode(plain)))
    }

    @Test func `JSON has all kinds of values`() {
        let answer = AnswerValue.object([
            "list": .list([.number(.min), .number(0), .number(.max), .bool(true), .bool(false)]), "none": .list([]),
            "object": .object([:]), "texts": AnswerValue(["a": "b"]),
        ])
        let text = """
            {"list":[-9223372036854775808,0,9223372036854775807,true,false],"none":[],"object":{},"texts":{"a":"b"}}
            """
        #expect(String(decoding: answer.json, as: UTF8.self) == text)
    }
}

import Foundation
import StoreCore
import Testing

struct `A transaction receipt` {
    // The signature was computed with another implementation (Python's hmac).
    @Test func `B65: a receipt is a signed block of data, byte by byte the historical one`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: ReceiptSamples.signer)
        let expected = ReceiptSamples.envelope(
            signature: "SCYisOm9suYPINe4MU18qJVBZGghACDUNpthSCYJebWlAAAAAA==",
            information: Data(ReceiptSamples.coinsInformation.utf8).base64EncodedString()
        )
        #expect(String(decoding: receipt, as: UTF8.self) == String(decoding: expected, as: UTF8.self))
    }

    @Test func `B66: verifying it tells all that it says, enough for a permanent record`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: ReceiptSamples.signer)
        let answer = ReceiptSamples.verify(receipt)
        #expect(answer.status == .valid)
        #expect(answer.reason == nil)
        #expect(
            answer.fields == [
                "quantity": "2",
                "product_id": "coins.100",
                "transaction_id": "1000000000000002",
                "original_transaction_id": "1000000000000001",
                "purchase_date": "2012-09-21 01:31:38 Etc/GMT",
                "purchase_date_ms": "1348191098192",
                "purchase_date_pst": "2012-09-20 18:31:38 America/Los_Angeles",
                "original_purchase_date": "2012-01-01 00:00:00 Etc/GMT",
                "original_purchase_date_ms": "1325376000000",
                "original_purchase_date_pst": "2011-12-31 16:00:00 America/Los_Angeles",
                "item_id": "520000000",
                "bid": "com.example.coins",
                "bvrs": "1.0",
            ]
        )
    }

    @Test func `B63: a first purchase is its own original`() throws {
        let receipt = try ReceiptSamples.purchase().data(signedBy: ReceiptSamples.signer)
        let fields = ReceiptSamples.verify(receipt).fields
        #expect(fields["original_transaction_id"] == "1")
        #expect(fields["original_purchase_date_ms"] == "1348191098192")
    }

    @Test func `B130: everything that only some receipts have is told under its historical name`() throws {
        var receipt = ReceiptSamples.purchase()
        receipt.deviceIdentifier = "device"
        receipt.vendorDeviceIdentifier = "vendor"
        receipt.appItemIdentifier = "11"
        receipt.versionExternalIdentifier = "12"
        receipt.applicationUsername = "somebody"
        receipt.subscription = TransactionReceipt.Subscription(
            expirationDate: ReceiptSamples.now + 3600,
            webOrderLineItemIdentifier: "13",
            isTrialPeriod: true
        )
        let answer = ReceiptSamples.verify(try receipt.data(signedBy: ReceiptSamples.signer))
        #expect(answer.status == .valid)
        let plain = ReceiptSamples.verify(try ReceiptSamples.purchase().data(signedBy: ReceiptSamples.signer))
        #expect(
            answer.fields.filter { plain.fields[$0.key] == nil } == [
                "unique_identifier": "device",
                "unique_vendor_identifier": "vendor",
                "app_item_id": "11",
                "version_external_identifier": "12",
                "application_username": "somebody",
                "expires_date": "1348194698192",
                "expires_date_formatted": "2012-09-21 02:31:38 Etc/GMT",
                "expires_date_formatted_pst": "2012-09-20 19:31:38 America/Los_Angeles",
                "web_order_line_item_id": "13",
                "is_trial_period": "true",
                "is_in_intro_offer_period": "false",
            ]
        )
    }

    @Test(arguments: [
        (#"a "quoted" name"#, #"a \"quoted\" name"#),
        (#"back\slash"#, #"back\\slash"#),
        (#"\U00e9"#, #"\\U00e9"#),
        ("caf\u{e9}", #"caf\U00e9"#),
        ("cafe\u{301}", #"cafe\U0301"#),
        ("\u{1f600}", #"\Ud83d\Ude00"#),
        ("tab\tline\nreturn\r", #"tab\tline\nreturn\r"#),
        ("\u{0}\u{7f}", #"\U0000\U007f"#),
        (#""; "quantity" = "9"#, #"\"; \"quantity\" = \"9"#),
        ("", ""),
    ])
    func `Any text comes back as it was, and is written in ASCII`(text: String, written: String) throws {
        let receipt = try ReceiptSamples.purchase(of: text).data(signedBy: ReceiptSamples.signer)
        #expect(ReceiptSamples.information(of: receipt).contains("\t\"product-id\" = \"\(written)\";\n"))
        let answer = ReceiptSamples.verify(receipt)
        #expect(answer.status == .valid)
        // By scalars: as strings, both spellings of é are the same.
        #expect(answer.fields["product_id"].map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
        #expect(answer.fields["quantity"] == "1")
    }

    @Test(arguments: [
        (1_331_459_999.0, "2012-03-11 09:59:59 Etc/GMT", "2012-03-11 01:59:59 America/Los_Angeles"),
        (1_331_460_000.0, "2012-03-11 10:00:00 Etc/GMT", "2012-03-11 03:00:00 America/Los_Angeles"),
        (1_352_019_599.0, "2012-11-04 08:59:59 Etc/GMT", "2012-11-04 01:59:59 America/Los_Angeles"),
        (1_352_019_600.0, "2012-11-04 09:00:00 Etc/GMT", "2012-11-04 01:00:00 America/Los_Angeles"),
        (951_782_400.0, "2000-02-29 00:00:00 Etc/GMT", "2000-02-28 16:00:00 America/Los_Angeles"),
        (0.0, "1970-01-01 00:00:00 Etc/GMT", "1969-12-31 16:00:00 America/Los_Angeles"),
        (-0.001, "1969-12-31 23:59:59 Etc/GMT", "1969-12-31 15:59:59 America/Los_Angeles"),
    ])
    func `B130: dates are told in UTC and in Californian time, summer time included`(
        moment: Double,
        universal: String,
        pacific: String
    ) throws {
        let receipt = ReceiptSamples.purchase(at: Date(timeIntervalSince1970: moment))
        let fields = ReceiptSamples.verify(try receipt.data(signedBy: ReceiptSamples.signer)).fields
        #expect(fields["purchase_date"] == universal)
        #expect(fields["purchase_date_pst"] == pacific)
        #expect(fields["purchase_date_ms"] == String(Int((moment * 1000).rounded())))
    }

    @Test func `Dates name the same days as the calendar, over four centuries`() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(secondsFromGMT: 0))
        // 97 days are prime to every cycle of the calendar, so this meets all kinds of days.
        for day in stride(from: -30_000, to: 146_097, by: 97) {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400)
            let parts = calendar.dateComponents([.year, .month, .day], from: date)
            let receipt = try ReceiptSamples.purchase(at: date).data(signedBy: ReceiptSamples.signer)
            let text = try #require(ReceiptSamples.verify(receipt).fields["purchase_date"])
            let numbers = text.prefix(10).split(separator: "-").compactMap { Int($0) }
            #expect(numbers == [parts.year, parts.month, parts.day])
        }
    }

    // As seconds: Foundation cannot print every date.
    @Test(arguments: [-62_135_596_800.001, 253_402_300_800, .infinity, -.infinity, .nan, .greatestFiniteMagnitude])
    func `A date that four digits of year cannot show is refused`(moment: Double) {
        #expect(throws: ReceiptError.self) {
            try ReceiptSamples.purchase(at: Date(timeIntervalSince1970: moment)).data(signedBy: ReceiptSamples.signer)
        }
    }

    @Test func `B130: Californian time is the calendar's on both sides of every change of clocks`() throws {
        let zone = try #require(TimeZone(identifier: "America/Los_Angeles"))
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = zone
        var change = Date(timeIntervalSince1970: -20_000_000)
        for _ in 0..<120 {
            change = try #require(zone.nextDaylightSavingTimeTransition(after: change))
            for offset in [86_400.0, -1, 0, -86_400, 1] {
                let date = change + offset
                let receipt = ReceiptSamples.purchase(at: date)
                let fields = ReceiptSamples.verify(try receipt.data(signedBy: ReceiptSamples.signer)).fields
                let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
                let text = try #require(fields["purchase_date_pst"])
                #expect(text.hasSuffix(" America/Los_Angeles"))
                let numbers = text.prefix(19).split { !$0.isNumber }.compactMap { Int($0) }
                #expect(numbers == [parts.year, parts.month, parts.day, parts.hour, parts.minute, parts.second])
            }
        }
    }

    @Test func `The last moment of the year 9999 is not refused`() throws {
        let receipt = ReceiptSamples.purchase(at: Date(timeIntervalSince1970: 253_402_300_799))
        let fields = ReceiptSamples.verify(try receipt.data(signedBy: ReceiptSamples.signer)).fields
        #expect(fields["purchase_date"] == "9999-12-31 23:59:59 Etc/GMT")
    }
}

import Foundation
import StoreCore
import Testing

struct `Receipt verification` {
    @Test func `B65: no bit of a receipt can be turned without being noticed`() throws {
        var receipt = ReceiptSamples.purchase()
        receipt.applicationUsername = #"é "\"#
        let original = try receipt.data(signedBy: ReceiptSamples.signer)
        try #require(ReceiptSamples.verify(original).status == .valid)
        let refusals: Set<ReceiptVerification.Status> = [.malformed, .notAuthentic]
        for index in original.indices {
            for bit in 0..<8 {
                var changed = original
                changed[index] ^= 1 << bit
                let answer = ReceiptSamples.verify(changed)
                if !refusals.contains(answer.status) || !answer.fields.isEmpty || answer.reason == nil {
                    Issue.record("byte \(index), bit \(bit): status \(answer.status.rawValue)")
                }
            }
        }
    }

    @Test func `B191: a receipt that ends early or goes on is malformed`() throws {
        let receipt = try ReceiptSamples.purchase().data(signedBy: ReceiptSamples.signer)
        for length in 0..<receipt.count {
            #expect(ReceiptSamples.verify(receipt.prefix(length)).status == .malformed)
        }
        for tail in ["\n", " ", "\0", "}", String(decoding: receipt, as: UTF8.self)] {
            #expect(ReceiptSamples.verify(receipt + Data(tail.utf8)).status == .malformed)
        }
    }

    @Test(arguments: [
        ("\t\"pod\" = \"100\";\n", ""),
        ("\t\"pod\" = \"100\";\n", "\t\"pod\" = \"100\";\n\t\"pod\" = \"100\";\n"),
        ("\t\"pod\" = \"100\";\n", "\t\"pod\" = \"101\";\n"),
        ("\t\"pod\" = \"100\";\n", "\t\"pod\" = 100;\n"),
        (
            "\t\"pod\" = \"100\";\n\t\"signing-status\" = \"0\";\n",
            "\t\"signing-status\" = \"0\";\n\t\"pod\" = \"100\";\n"
        ),
        ("\t\"signing-status\" = \"0\";\n", "\t\"signing-status\" = \"0\";\n\t\"more\" = \"1\";\n"),
        ("\t\"pod\"", "  \"pod\""),
        ("\" = \"", "\"=\""),
        (";\n", ";\r\n"),
        ("\"pod\"", "\"\\U0070od\""),
        ("AAAAAA==\"", "AAAAAB==\""),
        ("AAAAAA==\"", "AAAAAA\""),
        ("AAAAAA==\"", "AAAA\\nAA==\""),
    ])
    func `B191: a receipt in any other spelling is malformed`(part: String, other: String) throws {
        let receipt = try ReceiptSamples.purchase().data(signedBy: ReceiptSamples.signer)
        let text = String(decoding: receipt, as: UTF8.self)
        try #require(text.contains(part))
        let changed = Data(text.replacingOccurrences(of: part, with: other).utf8)
        #expect(ReceiptSamples.verify(changed).status == .malformed)
    }

    private static let noReceipts: [String] = [
        "", "{\n}", "receipt", "{\n\t\"product-id\" = \"p\";\n}",
        ReceiptSamples.coinsInformation + "\n",
        coins(#"coins\U002e100"#, for: "coins.100"),
        coins(#"\U00E9"#, for: "coins.100"),
        coins(#"\U000a"#, for: "coins.100"),
        coins(#"\Ud83d"#, for: "coins.100"),
        coins(#"\q"#, for: "coins.100"),
        coins("é", for: "coins.100"),
        coins("product-id", for: "item-id"),
        coins("product_id", for: "item-id"),
        coins("expires-date", for: "item-id").replacingOccurrences(of: "520000000", with: "soon"),
        coins("expires-date", for: "item-id").replacingOccurrences(of: "520000000", with: "+1"),
    ]

    private static func coins(_ part: String, for other: String) -> String {
        ReceiptSamples.coinsInformation.replacingOccurrences(of: other, with: part)
    }

    @Test(arguments: noReceipts)
    func `B191: what is signed but is no receipt is malformed`(information: String) {
        let answer = ReceiptSamples.verify(ReceiptSamples.receipt(around: information))
        #expect(answer.status == .malformed)
        #expect(answer.fields.isEmpty)
    }

    @Test func `B128: what is said may come in any order, with more keys than are known`() {
        let information = ReceiptSamples.coinsInformation
        let lines = information.split(separator: "\n").dropFirst().dropLast()
        let shuffled = "{\n" + (lines.reversed() + ["\t\"new-key\" = \"new\";"]).joined(separator: "\n") + "\n}"
        let answer = ReceiptSamples.verify(ReceiptSamples.receipt(around: shuffled))
        #expect(answer.status == .valid)
        var fields = ReceiptSamples.verify(ReceiptSamples.receipt(around: information)).fields
        fields["new_key"] = "new"
        #expect(answer.fields == fields)
    }

    @Test func `B191: a receipt signed with another key is not authentic`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: HMACReceiptSigner(key: Data("another key".utf8)))
        let answer = ReceiptSamples.verify(receipt)
        #expect(answer.status == .notAuthentic)
        #expect(answer.fields.isEmpty)
    }

    @Test func `B191: the words of one receipt under the signature of another are not authentic`() throws {
        func lines(_ receipt: TransactionReceipt) throws -> [Substring] {
            String(decoding: try receipt.data(signedBy: ReceiptSamples.signer), as: UTF8.self).split(separator: "\n")
        }
        let cheap = try lines(ReceiptSamples.purchase(of: "cheap"))
        var dear = try lines(ReceiptSamples.purchase(of: "dear"))
        dear[1] = cheap[1]
        #expect(ReceiptSamples.verify(Data(dear.joined(separator: "\n").utf8)).status == .notAuthentic)
    }

    @Test(arguments: [(-0.001, 0), (0, 21006), (86_400, 21006), (.infinity, 21006)])
    func `B191: a subscription is expired from its expiration date on, and still told`(
        after: Double,
        status: Int
    ) throws {
        var receipt = ReceiptSamples.coins
        let end = ReceiptSamples.now + 3600
        receipt.subscription = TransactionReceipt.Subscription(expirationDate: end)
        let answer = ReceiptSamples.verify(try receipt.data(signedBy: ReceiptSamples.signer), at: end + after)
        #expect(answer.status.rawValue == status)
        #expect((answer.reason == nil) == (status == 0))
        #expect(answer.fields["product_id"] == "coins.100")
    }

    @Test func `B65: a certificate smuggled in beside a good signature is not authentic`() {
        let information = ReceiptSamples.coinsInformation
        let signature = ReceiptSamples.signer.sign(Data("H\(information)".utf8))
        let tails: [([UInt8], Int)] = [
            ([0, 0, 0, 0], 0), ([0, 0, 0, 1, 7], 21003), ([0, 0, 0, 0, 7], 21003), ([], 21003),
        ]
        for (tail, status) in tails {
            let blob = Data("H".utf8) + signature + Data(tail)
            let receipt = ReceiptSamples.envelope(
                signature: blob.base64EncodedString(),
                information: Data(information.utf8).base64EncodedString()
            )
            #expect(ReceiptSamples.verify(receipt).status.rawValue == status)
        }
    }

    @Test func `What is no subscription never expires`() throws {
        let receipt = try ReceiptSamples.coins.data(signedBy: ReceiptSamples.signer)
        #expect(ReceiptSamples.verify(receipt, at: .distantFuture).status == .valid)
    }

    @Test func `No refusal tells what the receipt says`() throws {
        var receipt = ReceiptSamples.coins
        receipt.subscription = TransactionReceipt.Subscription(expirationDate: ReceiptSamples.now)
        let data = try receipt.data(signedBy: ReceiptSamples.signer)
        let expired = try #require(ReceiptSamples.verify(data).reason)
        let other = ReceiptVerification(of: data, signer: HMACReceiptSigner(), at: ReceiptSamples.now)
        for reason in [expired, try #require(other.reason)] {
            #expect(!reason.contains("coins"))
            #expect(!reason.contains("1000000000000002"))
        }
    }
}

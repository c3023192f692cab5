import Foundation
import Testing

@testable import StoreCore

/// The form of app receipts, and what is refused.
@Suite struct AppReceiptTests {
    private let signer = ReceiptSamples.signer

    @Test(arguments: [AppReceiptSamples.empty, AppReceiptSamples.full])
    func `An app receipt reads as it was written`(receipt: AppReceipt) throws {
        let read = try AppReceipt(verifying: try receipt.data(signedBy: signer), signer: signer)
        #expect(read == receipt)
    }

    @Test func `The app's Apple ID is kept, and told as two numbers of the app`() throws {
        var receipt = AppReceiptSamples.full
        receipt.appAppleIdentifier = 1_234_567_890
        #expect(try AppReceipt(verifying: receipt.data(signedBy: signer), signer: signer) == receipt)
        let json = try receipt.json(environment: "Production", requestedAt: ReceiptSamples.now)
        let text = String(decoding: json, as: UTF8.self)
        #expect(text.contains(#""adam_id":1234567890,"app_item_id":1234567890,"#))
    }

    @Test func `The smallest receipt, byte by byte`() throws {
        var receipt = AppReceiptSamples.empty
        receipt.bundleIdentifier = "b"
        receipt.opaqueValue = Data([7])
        receipt.deviceHash = Data([8])
        receipt.bundleVersion = "1"
        // Made with another program's DER encoder and HMAC.
        let expected = hex(
            """
            3082012206092a864886f70d010702a08201133082010f020101310f300d06096086480165030402
            0105003081ab06092a864886f70d010701a0819d04819a
            318197
            3009020104020102040107
            3009020105020101040108
            300b02010202010104030c0162
            300b02010302010104030c0131
            300d02011302010104050c03312e30
            3016020100020101040e0c0c4c6f63616c54657374696e67
            301e02010c02010104161614323032352d30322d30335430343a30353a30365a
            301e02011202010104161614323031332d30382d30315430373a30303a30305a
            314b304902010130053000020100300d06096086480165030402010500300c06082a864886f70d02
            0905000420bfc95da7c4a09e0b7a2dec1dc847258bafb7e129f810442ecb42b77b2484587e
            """
        )
        #expect(try receipt.data(signedBy: signer) == expected)
    }

    @Test func `B191: No bit of an app receipt can be turned without being noticed`() throws {
        var receipt = AppReceiptSamples.full
        receipt.purchases.removeAll { $0.kind != .autoRenewable }
        let original = try receipt.data(signedBy: signer)
        try #require(AppReceiptSamples.status(original) == 0)
        for index in original.indices {
            for bit in 0..<8 {
                var changed = original
                changed[index] ^= 1 << bit
                let status = AppReceiptSamples.status(changed)
                if status != 21002 && status != 21003 { Issue.record("byte \(index), bit \(bit): status \(status)") }
            }
        }
    }

    @Test func `B191: An app receipt that ends early or goes on is malformed`() throws {
        let receipt = try AppReceiptSamples.full.data(signedBy: signer)
        for length in 0..<receipt.count { #expect(AppReceiptSamples.status(receipt.prefix(length)) == 21002) }
        for tail in [Data([0]), Data([5, 0]), receipt] { #expect(AppReceiptSamples.status(receipt + tail) == 21002) }
    }

    @Test func `A receipt that is a slice of other data is read`() throws {
        let receipt = try AppReceiptSamples.full.data(signedBy: signer)
        #expect(AppReceiptSamples.status((Data([1, 2, 3]) + receipt).dropFirst(3)) == 0)
    }

    @Test(arguments: [
        "", "30", "3080", "30800000", "3000", "308100", "30840fffffff", "3085ffffffffff", "30887fffffffffffffff",
        "3082000b06092a864886f70d010702", "300b06092a864886f70d010702",
    ])
    func `B191: What is no app receipt is malformed`(bytes: String) {
        #expect(AppReceiptSamples.status(hex(bytes)) == 21002)
    }

    @Test func `Nesting without end costs no stack`() {
        var bytes = Data()
        for _ in 0..<100_000 { bytes.append(contentsOf: [0x30, 0x80]) }
        #expect(AppReceiptSamples.status(bytes) == 21002)
        #expect(AppReceiptSamples.status(Data(repeating: 0x31, count: 1_000_000)) == 21002)
    }

    @Test func `B191: A transaction's receipt is no app receipt, and the other way round`() throws {
        #expect(AppReceiptSamples.status(try ReceiptSamples.coins.data(signedBy: signer)) == 21002)
        let receipt = try AppReceiptSamples.full.data(signedBy: signer)
        #expect(ReceiptSamples.verify(receipt).status == .malformed)
    }

    @Test func `B191: An app receipt signed with another key is not authentic`() throws {
        let receipt = try AppReceiptSamples.full.data(signedBy: HMACReceiptSigner(key: Data("another key".utf8)))
        #expect(AppReceiptSamples.status(receipt) == 21003)
    }

    @Test func `B191: An app receipt from another environment gets the status that says so`() throws {
        let test = try AppReceiptSamples.full.data(signedBy: signer)
        let production = try AppReceiptSamples.full.data(signedBy: Named("Production"))
        #expect(AppReceiptSamples.status(test, Named("Production")) == 21007)
        #expect(AppReceiptSamples.status(production) == 21008)
        #expect(AppReceiptSamples.status(test, Named("Sandbox")) == 21003)
        #expect(AppReceiptSamples.status(production, Named("Production")) == 0)
    }

    @Test func `Purchases are read in the order in which they were listed`() throws {
        var turned = AppReceiptSamples.full
        turned.purchases.reverse()
        #expect(try AppReceipt(verifying: turned.data(signedBy: signer), signer: signer) == turned)
    }

    @Test func `A receipt that goes on from encoded purchases is the one that lists them all`() throws {
        for signer: any ReceiptSigner in [signer, Named("Sandbox")] {
            let whole = AppReceiptSamples.full
            for count in 0...whole.purchases.count {
                var entries = ReceiptEntries(signer: signer)
                for purchase in whole.purchases.prefix(count) { try entries.append(purchase) }
                var rest = whole
                rest.purchases.removeFirst(count)
                let image = try rest.image(after: entries, signedBy: signer)
                #expect(try image.data == whole.data(signedBy: signer))
                #expect(image.byteCount == image.data.count)
            }
        }
    }

    @Test func `Quantities of any size and texts of any language are kept`() throws {
        for quantity in [Int.min, -129, -128, -1, 0, 1, 127, 128, 255, 256, 65_536, Int.max] {
            var receipt = AppReceiptSamples.empty
            receipt.purchases = [
                AppReceipt.Purchase(
                    quantity: quantity,
                    productIdentifier: "é 🗡 \0 " + String(repeating: "x", count: abs(quantity % 70_000)),
                    transactionIdentifier: "",
                    purchaseDate: AppReceiptSamples.bought,
                    kind: .consumable
                )
            ]
            let read = try AppReceipt(verifying: try receipt.data(signedBy: signer), signer: signer)
            #expect(read == receipt)
        }
    }

    @Test func `What cannot be written is refused with a sentence`() throws {
        var future = AppReceiptSamples.empty
        future.creationDate = .distantFuture + 1e12
        #expect(throws: ReceiptError.self) { try future.data(signedBy: signer) }
        for seconds in [Double.nan, .infinity, -.infinity, 1e300] {
            var endless = AppReceiptSamples.full
            endless.purchases[2].purchaseDate = Date(timeIntervalSince1970: seconds)
            #expect(throws: ReceiptError.self) { try endless.data(signedBy: signer) }
            #expect(throws: ReceiptError.self) {
                try ReceiptSamples.purchase(at: Date(timeIntervalSince1970: seconds)).data(signedBy: signer)
            }
        }
        var item = AppReceiptSamples.full
        item.purchases[2].subscription?.webOrderLineItemIdentifier = "one"
        #expect(throws: ReceiptError.self) { try item.data(signedBy: signer) }
    }

    @Test func `The hash names the device, and the bundle identifier with its tag`() {
        // SHA-256 of 00 … 0f, sixteen times ab, 0c 11 and the identifier.
        #expect(
            AppReceiptSamples.empty.deviceHash
                == hex("b78c1cbd3b73dd9aff8acec2297006642df7708397d60ca0ffd7dc0b1f48066c")
        )
        #expect(AppReceiptSamples.empty.hash(forDevice: AppReceiptSamples.device) == AppReceiptSamples.empty.deviceHash)
        #expect(AppReceiptSamples.empty.hash(forDevice: Data(count: 16)) != AppReceiptSamples.empty.deviceHash)
    }

    /// A signer of another environment, with the samples' key.
    private struct Named: ReceiptSigner {
        let environment: String
        let signatureVersion: UInt8 = 72
        let signatureLength = 32
        init(_ environment: String) { self.environment = environment }
        func sign(_ message: Data) -> Data { ReceiptSamples.signer.sign(message) }
        func isValid(signature: Data, for message: Data) -> Bool {
            ReceiptSamples.signer.isValid(signature: signature, for: message)
        }
    }

    private func hex(_ text: String) -> Data {
        let digits = text.filter(\.isHexDigit).map { UInt8($0.hexDigitValue ?? 0) }
        return Data(stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] })
    }
}

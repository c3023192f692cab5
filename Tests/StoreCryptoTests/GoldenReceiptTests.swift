import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

/// Receipts and JWS as each version signed them, with the folder of keys that signed them.
///
/// A folder's name has the day. `GOLDEN=1 swift test --filter Golden` writes a folder of today.
@Suite struct GoldenReceiptTests {
    private static let golden = GoldenFolder()
    private static let names = golden.names("receipts-")
    private static let start = Date(timeIntervalSinceReferenceDate: 800_000_000)
    private static let products: [SandboxProduct] = [
        .consumable("sword", price: "0.99"), .nonConsumable("castle", price: "4.99", isFamilyShareable: true),
        .nonRenewing("lessons", price: "9.99"),
        .autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals"),
    ]

    private typealias Signer = any ReceiptSigner & PayloadSigner

    /// The authority whose keys are in a folder, on a copy with the modes that keys have.
    private func withAuthority(of name: String, _ body: (CertificateAuthority) throws -> Void) throws {
        let copy = FileManager.default.temporaryDirectory.appending(path: "golden-\(UUID())")
        defer { try? FileManager.default.removeItem(at: copy) }
        let kept = Self.golden.url.appending(path: "\(name)/authority")
        if FileManager.default.fileExists(atPath: kept.path) {
            try FileManager.default.copyItem(at: kept, to: copy)
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copy.path)
            for file in try FileManager.default.contentsOfDirectory(at: copy, includingPropertiesForKeys: nil) {
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
            }
        }
        try body(try CertificateAuthority(folder: copy, now: Self.start))
    }

    /// Verifies what a signer has signed, reads it, and sells on with the signer.
    private func verify(_ name: String, _ form: String, signer: Signer) throws {
        func data(_ end: String) throws -> Data { try Self.golden.data("\(name)/\(form).\(end)") }
        let store = try SandboxStore(
            products: Self.products,
            clock: ManualClock(startingAt: Self.start),
            signer: signer
        )
        let receipt = try store.verify(appReceipt: data("receipt"))
        #expect(try Self.text(of: receipt) == Self.golden.text("\(name)/\(form).txt"))
        #expect(receipt.bundleIdentifier == "com.example.app" && receipt.bundleVersion == "1.0")
        let jws = String(decoding: try data("jws"), as: UTF8.self).trimmingCharacters(in: .whitespacesAndNewlines)
        let payload = try TransactionPayload(verifying: jws, signer: signer)
        #expect(payload.transactionId == "5" && payload.originalTransactionId == "4" && payload.productId == "gold")
        let signed = try #require(Base64URL.decode(Array(jws.split(separator: ".")[1].utf8)[...]))
        #expect(try KeptJSON.loss(of: Data(signed), in: JSONEncoder().encode(payload)) == nil)
        // Xcode has no receipts of single transactions.
        if form != "xcode" {
            let verification = try store.verify(receipt: data("transaction"))
            #expect(verification.status == .valid && verification.fields["product_id"] == "gold")
            #expect(verification.fields["transaction_id"] == "4")
        }
        try store.account.buy("castle")
        let next = try store.verify(appReceipt: try #require(store.appReceipt))
        #expect(next.purchases.map(\.productIdentifier) == ["castle"])
    }

    @Test(.libcrypto, arguments: names, ["appstore", "xcode"])
    func `What was signed with certificates is verified with the keys of then, which sign on`(
        name: String,
        form: String
    ) throws {
        try withAuthority(of: name) { authority in
            #expect(try authority.rootCertificate == Self.golden.data("\(name)/root.der"))
            let clock = ManualClock(startingAt: Self.start)
            let signer = try AppStoreSigner(authority, clock: clock, form: form == "xcode" ? .xcode : .appStore)
            try verify(name, form, signer: signer)
        }
    }

    @Test(.libcrypto, arguments: names) func `Who knows the root alone verifies what was signed`(name: String) throws {
        let verifier = try AppStoreVerifier(root: Self.golden.data("\(name)/root.der"))
        for end in ["receipt", "transaction", "jws"] {
            var signed = try Self.golden.data("\(name)/appstore.\(end)")
            // A JWS is kept as a line of text.
            if end == "jws" { signed.removeLast() }
            _ = try verifier.verify(signed, at: Self.start)
        }
    }

    @Test(arguments: names) func `What was signed with a key is verified with it`(name: String) throws {
        try verify(name, "hmac", signer: HMACReceiptSigner(key: Data("golden".utf8)))
    }

    private static func text(of receipt: AppReceipt) -> String {
        receipt.purchases.inOrder.map { purchase in
            "\(purchase.transactionIdentifier) \(purchase.productIdentifier) \(purchase.quantity)"
                + " \(purchase.purchaseDate.timeIntervalSinceReferenceDate)\n"
        }.joined()
    }

    @Test(.writesGolden, .libcrypto) func `Today's receipts are written, with the keys that signed them`() throws {
        let name = "receipts-\(GoldenFolder.today)"
        let folder = Self.golden.url.appending(path: "\(name)/authority")
        let authority = try CertificateAuthority(folder: folder, now: Self.start)
        try Self.golden.write(authority.rootCertificate, to: "\(name)/root.der")
        let signing = ManualClock(startingAt: Self.start)
        let signers: [(String, Signer)] = [
            ("appstore", try AppStoreSigner(authority, clock: signing)),
            ("xcode", try AppStoreSigner(authority, clock: signing, form: .xcode)),
            ("hmac", HMACReceiptSigner(key: Data("golden".utf8))),
        ]
        for (form, signer) in signers {
            let clock = ManualClock(startingAt: Self.start)
            let store = try SandboxStore(products: Self.products, clock: clock, signer: signer)
            for product in Self.products { try store.account.buy(product.identifier) }
            clock.advance(by: 40 * 86_400)
            try store.refund("2")
            let receipt = try #require(store.appReceipt)
            try Self.golden.write(receipt, to: "\(name)/\(form).receipt")
            try Self.golden.write(Self.text(of: store.verify(appReceipt: receipt)), to: "\(name)/\(form).txt")
            try Self.golden.write(store.signedTransaction("5").jws + "\n", to: "\(name)/\(form).jws")
            guard form != "xcode" else { continue }
            let single = try #require(store.device.receipt(forTransaction: "4"))
            try Self.golden.write(single, to: "\(name)/\(form).transaction")
        }
    }
}

import Foundation
import StoreCore
import StoreCrypto
import Testing

/// Verification of every form by those who hold the root only.
@Suite(.libcrypto) struct AppStoreVerifierTests {
    typealias Version = TransactionReceiptSigner.Version

    private let authority: CertificateAuthority
    private let signer: AppStoreSigner
    private let verifier: AppStoreVerifier

    init() throws {
        authority = try CertificateAuthority(now: .start)
        signer = try AppStoreSigner(authority, clock: ManualClock(startingAt: .start))
        verifier = try AppStoreVerifier(root: authority.rootCertificate)
    }

    private func jws(_ payload: String) throws -> Data { Data(try signer.jws(of: Data(payload.utf8)).utf8) }

    private func signed(_ receipt: TransactionReceipt, _ version: Version) throws -> Data {
        let clock = ManualClock(startingAt: .start)
        return try receipt.data(signedBy: AppStoreSigner(authority, clock: clock, transactionReceiptVersion: version))
    }

    @Test func `The root may be in PEM or in DER, and what is neither is refused`() throws {
        let data = try AppReceipt.empty.data(signedBy: signer)
        for root in [authority.rootCertificate, Data(authority.rootPEM.utf8)] {
            #expect(throws: Never.self) { try AppStoreVerifier(root: root).verify(data, at: .start) }
        }
        for root in [Data(), Data("root".utf8), Data([0x30, 0]), authority.rootCertificate.dropLast()] {
            #expect(throws: CryptoError.self) { try AppStoreVerifier(root: root) }
        }
    }

    @Test func `An app receipt is told from other forms, with its environment`() throws {
        var receipt = AppReceipt.empty
        receipt.isVolumePurchase = true
        let content = try verifier.verify(receipt.data(signedBy: signer), at: .start)
        #expect(content == .appReceipt(receipt, environment: "ProductionSandbox"))
        let production =
            try AppStoreSigner(authority, clock: ManualClock(startingAt: .start), environment: .production)
        let sold = try verifier.verify(receipt.data(signedBy: production), at: .start)
        #expect(sold == .appReceipt(receipt, environment: "Production"))
    }

    @Test(arguments: Version.allCases)
    func `A transaction receipt is told, and its subscription judged at the moment given`(version: Version) throws {
        var receipt = TransactionReceipt.gold
        receipt.subscription = .init(expirationDate: .start + 60)
        let data = try signed(receipt, version)
        for (moment, status) in [(Date.start, ReceiptVerification.Status.valid), (.start + 60, .subscriptionExpired)] {
            guard case .transactionReceipt(let response, "Sandbox") = try verifier.verify(data, at: moment) else {
                Issue.record("another form")
                continue
            }
            #expect(response.status == status && response.fields["product_id"] == "gold")
        }
    }

    @Test(arguments: Version.allCases)
    func `No bit of a transaction receipt may be another`(version: Version) async throws {
        let data = try signed(.gold, version)
        let verifier = verifier
        #expect(await BitFlips.unnoticed(in: data) { (try? verifier.verify($0, at: .start)) != nil } == [])
    }

    @Test func `The environment of a transaction receipt is what it says, since no signature covers it`() throws {
        let text = String(decoding: try signed(.gold, .rsa2048), as: UTF8.self)
        let changed = Data(text.replacing("\"Sandbox\"", with: "\"Xcode\"").utf8)
        guard case .transactionReceipt(_, environment: "Xcode") = try verifier.verify(changed, at: .start)
        else { return _ = Issue.record("another environment") }
    }

    @Test func `A transaction receipt may be signed long after a purchase, not by a leaf that ended before`() throws {
        var receipt = TransactionReceipt.gold
        receipt.purchaseDate = .start + 3 * .year
        // Before the leaf is renewed.
        let early = try receipt.data(signedBy: signer)
        let clock = ManualClock(startingAt: .start + 3 * .year)
        let late = try AppStoreSigner(authority, clock: clock)
        let data = try TransactionReceipt.gold.data(signedBy: late)
        #expect(throws: Never.self) { try verifier.verify(data, at: clock.now) }
        #expect(ReceiptVerification(of: data, signer: late, at: clock.now).status == .valid)
        #expect(throws: VerificationFailure.expired(.leaf)) { try verifier.verify(early, at: clock.now) }
        #expect(ReceiptVerification(of: early, signer: signer, at: clock.now).status == .notAuthentic)
    }

    @Test(arguments: [
        (#"{"transactionId":"1","signedDate":1748736000000}"#, AppStoreVerifier.Subject.transaction),
        (#"{"originalTransactionId":"1","autoRenewProductId":"gold","signedDate":1748736000000.5}"#, .renewalInfo),
        (#"{"receiptType":"Sandbox","receiptCreationDate":1748736000000}"#, .appTransaction),
        (#"{"notificationType":"TEST","signedDate":1748736000000,"data":{}}"#, .notification),
    ])
    func `A JWS is told by its payload`(payload: String, subject: AppStoreVerifier.Subject) throws {
        #expect(try verifier.verify(jws(payload), at: .start) == .jws(subject, payload: Data(payload.utf8)))
    }

    @Test func `A JWS without a date, or about something else, is refused for it`() throws {
        for payload in [#"{"transactionId":"1"}"#, "[]", "text", "", #"{"signedDate":"today"}"#] {
            #expect(throws: VerificationFailure.noSigningDate) { try verifier.verify(jws(payload), at: .start) }
        }
        let reasons: [(String, VerificationFailure)] = [
            (#"{"signedDate":1748736000000}"#, .foreignContent),
            (#"{"transactionId":"1","signedDate":1}"#, .notYetValid(.leaf)),
        ]
        for (payload, reason) in reasons { #expect(throws: reason) { try verifier.verify(jws(payload), at: .start) } }
    }

    @Test func `A wrong type in one field hides neither the date nor what the others tell`() throws {
        let cases: [(String, AppStoreVerifier.Subject)] = [
            (#"{"transactionId":"1","notificationType":7,"signedDate":1748736000000}"#, .transaction),
            (#"{"transactionId":"1","receiptCreationDate":"today","signedDate":1748736000000}"#, .transaction),
            (#"{"autoRenewProductId":"gold","transactionId":[1],"signedDate":1748736000000}"#, .renewalInfo),
        ]
        for (payload, subject) in cases {
            #expect(try verifier.verify(jws(payload), at: .start) == .jws(subject, payload: Data(payload.utf8)))
        }
        let number = #"{"transactionId":1,"signedDate":1748736000000}"#
        #expect(throws: VerificationFailure.foreignContent) { try verifier.verify(jws(number), at: .start) }
        // A date that is there has to be one.
        let wrong = #"{"transactionId":"1","signedDate":"today","receiptCreationDate":1748736000000}"#
        #expect(throws: VerificationFailure.noSigningDate) { try verifier.verify(jws(wrong), at: .start) }
    }

    @Test(arguments: Version.allCases)
    func `Signed content that is no transaction receipt is foreign, unsigned is not read`(version: Version) throws {
        let signer = try authority.transactionReceiptSigner(at: .start, version: version)
        for text in ["{\n}", "text", "{\n\t\"quantity\" = \"1\";\n}"] {
            let information = Data(text.utf8)
            func receipt(_ blob: Data) -> Data {
                let fields = [
                    ("signature", blob.base64EncodedString()), ("purchase-info", information.base64EncodedString()),
                    ("environment", "Sandbox"), ("pod", "100"), ("signing-status", "0"),
                ]
                return Data("{\n\(fields.map { "\t\"\($0)\" = \"\($1)\";\n" }.joined())}".utf8)
            }
            let cases: [(Data, VerificationFailure)] =
                [(information, .foreignContent), (information + [0], .wrongSignature)]
            for (signed, reason) in cases {
                #expect(throws: reason) { try verifier.verify(receipt(signer.blob(over: signed)), at: .start) }
            }
        }
    }

    @Test func `An app receipt that is signed but none is refused for it`() throws {
        let date = DER.element(.octetString, [22, 20] + Data("2025-06-01T00:00:00Z".utf8))
        let payload = DER.element(.set, DER.sequence(DER.integer(12), DER.integer(1), date))
        let data = try signer.seal(Data(payload))
        #expect(throws: VerificationFailure.foreignContent) { try verifier.verify(data, at: .start) }
    }

    @Test func `What has no form at all is malformed`() {
        let texts = ["", "{", "{\n}", "0", "receipt", "a.b.c", "ey.ey.ey", "\u{0}"]
        for data in texts.map({ Data($0.utf8) }) + [Data([0xff, 0xfe]), Data([0x30, 0x80])] {
            #expect(throws: VerificationFailure.malformed) { try verifier.verify(data, at: .start) }
        }
    }

    @Test func `Xcode's receipts and JWS are verified with Xcode's certificate as the root`() throws {
        let xcode = try AppStoreSigner(authority, clock: ManualClock(startingAt: .start), form: .xcode)
        let receipts = try AppStoreVerifier(root: authority.pkcs7Signer(at: .start, form: .xcode).certificates[0])
        let data = try AppReceipt.empty.data(signedBy: xcode)
        #expect(try receipts.verify(data, at: .start) == .appReceipt(.emptyInXcode, environment: "Xcode"))
        let payloads = try AppStoreVerifier(root: authority.jwsSigner(at: .start, form: .xcode).certificates[0])
        let jws = try xcode.jws(of: Data(#"{"transactionId":"1","signedDate":1748736000000}"#.utf8))
        #expect(throws: Never.self) { try payloads.verify(Data(jws.utf8), at: .start) }
        #expect(throws: VerificationFailure.foreignRoot) { try payloads.verify(data, at: .start) }
        #expect(throws: VerificationFailure.wrongAlgorithm) { try verifier.verify(data, at: .start) }
    }
}

import Foundation
import StoreCore
import StoreCrypto
import Testing

/// What a sandbox store signs with certificates.
@Suite(.libcrypto) struct StorePayloadTests {
    private let root: Data
    private let store: SandboxStore

    init() throws {
        let authority = try CertificateAuthority(now: .start)
        root = authority.rootCertificate
        store = try SandboxStore(
            products: [.autoRenewable("gold", price: "9.99", period: .init(1, .month), group: "metals")],
            clock: ManualClock(startingAt: .start),
            signer: ChainSigner(signer: try authority.jwsSigner(at: .start), verifier: try JWSVerifier(root: root))
        )
        try store.account.buy("gold")
    }

    @Test func `Each payload is verified as of its own date, and the JWS stays as it was made`() throws {
        let subscription = try #require(try store.account.signedSubscriptions(inGroup: "metals").first)
        let (transaction, renewal) = (subscription.transaction, subscription.renewal)
        let app = try store.account.signedAppTransaction
        let signer = store.payloadSigner
        #expect(try TransactionPayload(verifying: transaction.jws, signer: signer) == transaction.payload)
        #expect(try RenewalPayload(verifying: renewal.jws, signer: signer) == renewal.payload)
        #expect(try AppTransactionPayload(verifying: app.jws, signer: signer) == app.payload)
        #expect(try transaction.jws == transaction.jws)
        #expect(try JWSVerifier(root: root).verify(app.jws, asOf: .start) == app.payload.json)
        #expect(transaction.payload.environment == "Sandbox")
    }

    @Test func `A payload of another kind is refused for that, one without a date for its date`() throws {
        let signer = store.payloadSigner
        let transaction = try store.signedTransaction("1")
        let app = try store.account.signedAppTransaction
        let refusals = [
            #expect(throws: ReceiptRefusal.self) { try TransactionPayload(verifying: app.jws, signer: signer) },
            #expect(throws: ReceiptRefusal.self) { try RenewalPayload(verifying: transaction.jws, signer: signer) },
            #expect(throws: ReceiptRefusal.self) {
                try AppTransactionPayload(verifying: transaction.jws, signer: signer)
            },
        ]
        #expect(refusals.map { $0?.status } == [.malformed, .malformed, .malformed])
        let undated = try signer.jws(of: Data(#"{"transactionId":"1"}"#.utf8))
        let none = VerificationFailure.noSigningDate
        #expect(throws: none) { try TransactionPayload(verifying: undated, signer: signer) }
    }

    @Test func `A device recognizes its own by SHA-384`() throws {
        let digest = JWSSigner.deviceVerification(of: Data("abc".utf8)).map { String(format: "%02x", $0) }.joined()
        #expect(
            digest == """
                cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
                8086072ba1e7cc2358baeca134c825a7
                """
        )
        let payload = try store.device.signedTransaction("1").payload
        let nonce = try #require(payload.deviceVerificationNonce)
        let text = nonce + store.device.identifierForVendor.uuidString.lowercased()
        let hash = JWSSigner.deviceVerification(of: Data(text.utf8))
        #expect(hash.count == 48)
        #expect(payload.deviceVerification == hash.base64EncodedString())
    }
}

/// Signs payloads with certificates, and no receipts.
private struct ChainSigner: ReceiptSigner, PayloadSigner {
    let signer: JWSSigner
    let verifier: JWSVerifier

    var environment: String { "Sandbox" }
    var signatureVersion: UInt8 { 9 }
    var signatureLength: Int { 0 }
    func sign(_ message: Data) -> Data { Data() }
    func isValid(signature: Data, for message: Data) -> Bool { false }
    func jws(of payload: Data) throws -> String { try signer.sign(payload) }
    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try verifier.verify(jws, signedAt: signingDate)
    }
    func deviceVerification(of text: Data) -> Data? { JWSSigner.deviceVerification(of: text) }
}

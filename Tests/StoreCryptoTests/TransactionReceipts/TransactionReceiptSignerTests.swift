import Foundation
import StoreCore
import StoreCrypto
import Testing

@Suite(.libcrypto) struct TransactionReceiptSignerTests {
    private let information = Data("{\n\t\"quantity\" = \"1\";\n}".utf8)

    @Test(arguments: TransactionReceiptSigner.Version.allCases)
    func `A signature has its version's length, and verifies`(version: TransactionReceiptSigner.Version) throws {
        let authority = try CertificateAuthority(now: .start)
        let signer = try authority.transactionReceiptSigner(at: .start, version: version)
        let verifier = try TransactionReceiptVerifier(root: authority.rootCertificate)
        let blob = try signer.blob(over: information)
        #expect(blob.count == 1 + signer.signatureLength + 4 + signer.certificate.count)
        #expect(throws: Never.self) { try verifier.verify(blob, over: information, asOf: .start) }
        #expect(throws: VerificationFailure.wrongSignature) {
            try verifier.verify(blob, over: information + [0], asOf: .start)
        }
        #expect(throws: VerificationFailure.expired(.leaf)) {
            try verifier.verify(blob, over: information, asOf: .start + 3 * .year)
        }
    }

    @Test(arguments: TransactionReceiptSigner.Version.allCases)
    func `No bit may be another`(version: TransactionReceiptSigner.Version) async throws {
        let information = information
        let authority = try CertificateAuthority(now: .start)
        let signer = try authority.transactionReceiptSigner(at: .start, version: version)
        let verifier = try TransactionReceiptVerifier(root: authority.rootCertificate)
        let blob = try signer.blob(over: information)
        let isAccepted: @Sendable (Data, Data) -> Bool = { (try? verifier.verify($0, over: $1, asOf: .start)) != nil }
        #expect(await BitFlips.unnoticed(in: blob) { isAccepted($0, information) } == [])
        #expect(await BitFlips.unnoticed(in: information) { isAccepted(blob, $0) } == [])
        for count in 0..<blob.count { #expect(!isAccepted(blob.prefix(count), information)) }
        #expect(!isAccepted(blob + [0], information))
    }

    @Test func `A store's transaction receipt is signed and verified with it, also with the leaf renewed`() throws {
        let authority = try CertificateAuthority(now: .start)
        let signer = try authority.transactionReceiptSigner(at: .start)
        let receipt = TransactionReceipt(
            productIdentifier: "gold",
            transactionIdentifier: "1",
            purchaseDate: .start,
            bundleIdentifier: "com.example.app",
            bundleVersion: "1"
        )
        let data = try receipt.data(signedBy: signer)
        let later = try authority.transactionReceiptSigner(at: .start + 3 * .year)
        #expect(later.certificate != signer.certificate)
        for judge in [signer, later] {
            let verification = ReceiptVerification(of: data, signer: judge, at: .start)
            #expect(verification.status == .valid && verification.fields["product_id"] == "gold")
        }
        let other = try CertificateAuthority(now: .start).transactionReceiptSigner(at: .start)
        #expect(ReceiptVerification(of: data, signer: other, at: .start).status == .notAuthentic)
    }
}

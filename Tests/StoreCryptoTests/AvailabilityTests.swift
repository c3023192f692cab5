import Foundation
import StoreCrypto
import Testing

@Suite struct AvailabilityTests {
    @Test(.enabled(if: !Libcrypto.isAvailable, "libcrypto is there"))
    func `Without libcrypto's headers everything throws the line that says what to install`() {
        let trouble = #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key") }
        #expect(trouble?.description == Libcrypto.advice)
        #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", privateKey: Vector.privateKey) }
        #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", publicKey: Vector.publicKey) }
        #expect(throws: CryptoError.self) { try P256OfferSigner(keyIdentifier: "key", pem: Vector.publicPEM) }
        #expect(throws: CryptoError.self) { try CertificateAuthority(now: .start) }
        #expect(throws: CryptoError.self) { try JWSVerifier(root: Data()) }
        #expect(throws: CryptoError.self) { try PKCS7Verifier(root: Data()) }
        #expect(throws: CryptoError.self) { try TransactionReceiptVerifier(root: Data()) }
        let verifier = #expect(throws: CryptoError.self) { try AppStoreVerifier(root: Data()) }
        #expect(verifier?.description == Libcrypto.advice)
    }

    @Test func `What to install is one line that names the package`() {
        #expect(Libcrypto.advice.contains("apt install libssl-dev") && !Libcrypto.advice.contains("\n"))
    }
}

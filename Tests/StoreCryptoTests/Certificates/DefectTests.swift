import Foundation
import StoreCrypto
import Testing

@Suite(.libcrypto) struct DefectTests {
    typealias Defect = CertificateAuthority.Defect

    static let reasons: [(Defect, VerificationFailure)] = [
        (.expiredLeaf, .expired(.leaf)), (.missingLeafMarker, .missingMarker(.leaf)),
        (.missingIntermediateMarker, .missingMarker(.intermediate)), (.foreignRoot, .foreignRoot),
        (.chainOfOne, .chainLength(1)), (.chainOfFour, .chainLength(4)), (.wrongKey, .wrongSignature),
        (.revoked, .revoked),
    ]

    @Test func `Every defect of a chain has a reason of its own`() {
        #expect(Set(Self.reasons.map(\.0)) == Set(Defect.allCases))
        #expect(Set(Self.reasons.map(\.1)).count == Self.reasons.count)
        #expect(Set(Self.reasons.map(\.1.description)).count == Self.reasons.count)
    }

    @Test(arguments: reasons)
    func `A JWS is refused for its chain's defect`(defect: Defect, reason: VerificationFailure) throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier =
            try JWSVerifier(root: authority.rootCertificate, revocationList: authority.revocationList(at: .start))
        let jws = try authority.jwsSigner(at: .start, defect: defect).sign(Data("{}".utf8))
        #expect(throws: reason) { try verifier.verify(jws, asOf: .start) }
        // The second time the chain may be remembered.
        #expect(throws: reason) { try verifier.verify(jws, asOf: .start) }
        let sound = try authority.jwsSigner(at: .start).sign(Data("{}".utf8))
        #expect(throws: Never.self) { try verifier.verify(sound, asOf: .start) }
    }

    @Test func `A PKCS 7 message is refused for its chain's defect`() throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier =
            try PKCS7Verifier(root: authority.rootCertificate, revocationList: authority.revocationList(at: .start))
        for (defect, reason) in Self.reasons {
            let message = try authority.pkcs7Signer(at: .start, defect: defect).sign(Data("content".utf8))
            #expect(throws: reason) { try verifier.verify(message, asOf: .start) }
        }
    }

    @Test func `Without the list a revoked leaf is accepted, as nothing tells`() throws {
        let authority = try CertificateAuthority(now: .start)
        let jws = try authority.jwsSigner(at: .start, defect: .revoked).sign(Data("{}".utf8))
        #expect(throws: Never.self) { try JWSVerifier(root: authority.rootCertificate).verify(jws, asOf: .start) }
    }

    @Test func `A transaction receipt is refused for its certificate's defect`() throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier = try TransactionReceiptVerifier(root: authority.rootCertificate)
        let reasons: [Defect: VerificationFailure] = [
            .expiredLeaf: .expired(.leaf), .missingLeafMarker: .missingMarker(.leaf),
            // The receipt does not carry its root.
            .foreignRoot: .untrustedChain, .wrongKey: .wrongSignature,
        ]
        for defect in Defect.allCases {
            guard let reason = reasons[defect] else {
                #expect(throws: CryptoError.self) { try authority.transactionReceiptSigner(at: .start, defect: defect) }
                continue
            }
            let signer = try authority.transactionReceiptSigner(at: .start, version: .rsa1024, defect: defect)
            let blob = try signer.blob(over: Data("{}".utf8))
            #expect(throws: reason) { try verifier.verify(blob, over: Data("{}".utf8), asOf: .start) }
        }
    }

    @Test(arguments: Defect.allCases) func `Xcode's form, without a chain, has no defect`(defect: Defect) throws {
        let authority = try CertificateAuthority(now: .start)
        #expect(throws: CryptoError.self) { try authority.jwsSigner(at: .start, form: .xcode, defect: defect) }
    }
}

import Foundation
import StoreCore
import StoreCrypto
import Testing

/// The OCSP responders that certificates name.
@Suite(.libcrypto) struct ResponderTests {
    private static let first = "http://127.0.0.1:8080/ocsp"
    private static let second = "http://127.0.0.1:8081/ocsp"
    private let temporary = TemporaryFolder(for: "responder")
    private let payload = Data("{}".utf8)

    /// The text that begins each responder's URL, and nothing else in a certificate.
    private func names(in certificates: [Data]) -> [String?] {
        certificates.map { certificate in
            for name in [Self.first, Self.second] where certificate.range(of: Data(name.utf8)) != nil { return name }
            #expect(certificate.range(of: Data("http".utf8)) == nil)
            return nil
        }
    }

    private func add(_ url: String, to authority: CertificateAuthority) throws {
        authority.addResponder(try #require(URL(string: url)))
    }

    private func remove(_ url: String, from authority: CertificateAuthority) throws {
        authority.removeResponder(try #require(URL(string: url)))
    }

    @Test func `The intermediate and the leaves below it name the responder, the root and other leaves none`() throws {
        let authority = try CertificateAuthority(now: .start)
        try add(Self.first, to: authority)
        #expect(try names(in: authority.jwsSigner(at: .start).certificates) == [Self.first, Self.first, nil])
        #expect(try names(in: authority.pkcs7Signer(at: .start).certificates) == [Self.first, Self.first, nil])
        #expect(try names(in: authority.jwsSigner(at: .start, form: .xcode).certificates) == [nil])
        let receipts = try authority.transactionReceiptSigner(at: .start, version: .rsa1024)
        #expect(names(in: [receipts.certificate]) == [nil])
    }

    @Test func `Certificates with another name are issued again for the same keys`() throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        let earlier = try authority.jwsSigner(at: .start)
        #expect(names(in: earlier.certificates) == [nil, nil, nil])
        for name in [Self.first, Self.second] {
            try add(name, to: authority)
            let signer = try authority.jwsSigner(at: .start)
            #expect(names(in: signer.certificates) == [name, name, nil])
            #expect(try verifier.verify(signer.sign(payload), asOf: .start) == payload)
            // The key is that of the leaf before.
            let parts = try signer.sign(payload).split(separator: ".")
            let header = try earlier.sign(payload).split(separator: ".")[0]
            #expect(throws: VerificationFailure.wrongSignature) {
                try verifier.verify("\(header).\(parts[1]).\(parts[2])", asOf: .start)
            }
            #expect(try signer.certificates[0].range(of: key(of: earlier.certificates[0])) != nil)
            #expect(try authority.jwsSigner(at: .start).certificates == signer.certificates)
        }
    }

    /// Returns the bytes of a certificate's key, which follow the algorithm identifier of P-256.
    private func key(of certificate: Data) throws -> Data {
        let curve = Data(DER.objectIdentifier([1, 2, 840, 10045, 3, 1, 7]))
        let end = try #require(certificate.range(of: curve)).upperBound
        return certificate[end...].prefix(68)
    }

    @Test func `Of several servers the last that runs is named, and without one nothing is issued again`() throws {
        let authority = try CertificateAuthority(now: .start)
        try add(Self.first, to: authority)
        try add(Self.second, to: authority)
        #expect(try names(in: authority.jwsSigner(at: .start).certificates)[0] == Self.second)
        try remove(Self.second, from: authority)
        let last = try authority.jwsSigner(at: .start).certificates
        #expect(names(in: last)[0] == Self.first)
        try remove(Self.first, from: authority)
        #expect(try authority.jwsSigner(at: .start).certificates == last)
        // What is issued from now on names none.
        #expect(try names(in: authority.jwsSigner(at: .start + 3 * .year).certificates) == [nil, Self.first, nil])
    }

    @Test func `A folder's certificates follow the responder from process to process`() throws {
        try temporary.make()
        let open = { try CertificateAuthority(folder: temporary.url.appending(path: "keys"), now: .start) }
        let plain = try open().jwsSigner(at: .start).certificates
        let authority = try open()
        try add(Self.first, to: authority)
        let named = try authority.jwsSigner(at: .start).certificates
        #expect(names(in: named) == [Self.first, Self.first, nil] && named[2] == plain[2])
        // A process without a responder, and one with the same, go on with what is there.
        #expect(try open().jwsSigner(at: .start).certificates == named)
        let again = try open()
        try add(Self.first, to: again)
        #expect(try again.jwsSigner(at: .start).certificates == named)
        let other = try open()
        try add(Self.second, to: other)
        #expect(try names(in: other.jwsSigner(at: .start).certificates) == [Self.second, Self.second, nil])
    }

    @Test func `A signer names the responder that there is when it signs`() throws {
        let shop = try SignedShop()
        let verifier = try JWSVerifier(root: shop.authority.rootCertificate)
        let header = { (jws: String) in
            let text = jws.prefix { $0 != "." }.replacing("-", with: "+").replacing("_", with: "/")
            return try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
        }
        let before = try header(shop.signer.jws(of: payload))
        try add(Self.first, to: shop.authority)
        let after = try shop.signer.jws(of: payload)
        #expect(try header(after) != before)
        #expect(try header(after) == header(shop.signer.jws(of: payload)))
        #expect(try verifier.verify(after, asOf: .start) == payload)
    }

    @Test(arguments: CertificateAuthority.Defect.allCases)
    func `A chain with a defect names the responder too`(defect: CertificateAuthority.Defect) throws {
        let authority = try CertificateAuthority(now: .start)
        try add(Self.first, to: authority)
        let found = try names(in: authority.jwsSigner(at: .start, defect: defect).certificates)
        #expect(found == (defect == .chainOfOne ? [Self.first] : found.map { _ in Self.first }.dropLast() + [nil]))
    }

    @Test func `A revoked leaf is valid since the root was, as another leaf is`() throws {
        let authority = try CertificateAuthority(now: .start)
        let later = Date.start + .year
        let revoked = try authority.jwsSigner(at: later, defect: .revoked)
        #expect(revoked.validity == (.start - 3600)..<(later + 2 * .year))
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        #expect(try verifier.verify(revoked.sign(payload), asOf: .start) == payload)
    }
}

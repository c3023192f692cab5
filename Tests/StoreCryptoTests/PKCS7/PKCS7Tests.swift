import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

@Suite(.libcrypto) struct PKCS7Tests {
    private let content = Data("what is signed".utf8)

    @Test(arguments: ReceiptDigest.allCases)
    func `Content of any length is verified, and the same gives the same bytes`(digest: ReceiptDigest) throws {
        let authority = try CertificateAuthority(now: .start)
        let signer = try authority.pkcs7Signer(at: .start, digest: digest)
        let verifier = try PKCS7Verifier(root: authority.rootCertificate)
        for count in [0, 1, 127, 128, 300, 100_000] {
            let content = Data(repeating: 7, count: count)
            let message = try signer.sign(content)
            #expect(try verifier.verify(message, asOf: .start) == content)
            #expect(try signer.sign(content) == message)
        }
    }

    @Test func `It is SignedData of version 1 with leaf, intermediate and root, and no signed attributes`() throws {
        let signer = try CertificateAuthority(now: .start).pkcs7Signer(at: .start)
        let parts = try #require(Parts([UInt8](try signer.sign(content))))
        let sha256: [UInt8] = [0x30, 13, 6, 9, 0x60, 0x86, 0x48, 1, 0x65, 3, 4, 2, 1, 5, 0]
        #expect(parts.signedData.elementsEqual([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 2]) && parts.version == [1])
        #expect(parts.digests.elementsEqual(sha256))
        #expect(parts.data.elementsEqual([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 7, 1]))
        #expect(parts.content.elementsEqual(content) && parts.certificates.elementsEqual(signer.certificates.joined()))
        #expect(parts.signerVersion == [1] && parts.signerDigest.elementsEqual(sha256.dropFirst(2)))
        #expect(parts.algorithm.elementsEqual([6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0]))
        #expect(parts.signature.count == 256)
    }

    /// The contents of a message's elements, and nothing else in it.
    private struct Parts {
        let signedData, version, digests, data, content, certificates: ArraySlice<UInt8>
        let signerVersion, signerDigest, algorithm, signature: ArraySlice<UInt8>

        init?(_ message: [UInt8]) {
            var outer = DERReader(message)
            guard var info = outer.open(.sequence), let signedData = info.read(.objectIdentifier),
                var explicit = info.open(.explicit0), var fields = explicit.open(.sequence),
                let version = fields.read(.integer), let digests = fields.read(.set),
                var encapsulated = fields.open(.sequence), let data = encapsulated.read(.objectIdentifier),
                var octets = encapsulated.open(.explicit0), let content = octets.read(.octetString),
                let certificates = fields.read(.explicit0), var signers = fields.open(.set),
                var signer = signers.open(.sequence), let signerVersion = signer.read(.integer),
                signer.read(.sequence) != nil, let signerDigest = signer.read(.sequence),
                let algorithm = signer.read(.sequence), let signature = signer.read(.octetString),
                [outer, info, explicit, fields, encapsulated, octets, signers, signer].allSatisfy(\.isAtEnd)
            else { return nil }
            (self.signedData, self.version, self.digests, self.data) = (signedData, version, digests, data)
            (self.content, self.certificates, self.signerVersion) = (content, certificates, signerVersion)
            (self.signerDigest, self.algorithm, self.signature) = (signerDigest, algorithm, signature)
        }
    }

    @Test func `No bit may be another in the App Store's form`() async throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier = try PKCS7Verifier(root: authority.rootCertificate)
        // With SHA-1; an app receipt with SHA-256 is tried by AppStoreSignerTests.
        let message = try authority.pkcs7Signer(at: .start, digest: .sha1).sign(content)
        let isAccepted: @Sendable (Data) -> Bool = { (try? verifier.verify($0, asOf: .start)) != nil }
        #expect(await BitFlips.unnoticed(in: message, isAccepted: isAccepted) == [])
        for count in 0..<message.count { #expect(!isAccepted(message.prefix(count))) }
        #expect(!isAccepted(message + [0]))
    }

    @Test func `Xcode's form is BER with one certificate, of which no bit may be another either`() async throws {
        let signer = try CertificateAuthority(now: .start).pkcs7Signer(at: .start, form: .xcode)
        let message = try signer.sign(content)
        #expect(message.starts(with: [0x30, 0x80]) && message.suffix(6).allSatisfy { $0 == 0 })
        #expect(message.firstRange(of: Data([0x24, 0x80, 0x04, UInt8(content.count)]) + content + [0, 0]) != nil)
        let verifier = try PKCS7Verifier(root: signer.certificates[0], form: .xcode)
        #expect(try verifier.verify(message, asOf: .start) == content)
        #expect(await BitFlips.unnoticed(in: message) { (try? verifier.verify($0, asOf: .start)) != nil } == [])
        #expect(throws: VerificationFailure.malformed) { try verifier.verify(message + [0], asOf: .start) }
        #expect(throws: VerificationFailure.wrongAlgorithm) {
            try PKCS7Verifier(root: signer.certificates[0]).verify(message, asOf: .start)
        }
    }

    @Test func `The content of BER may come in segments`() throws {
        let signer = try CertificateAuthority(now: .start).pkcs7Signer(at: .start, form: .xcode)
        let verifier = try PKCS7Verifier(root: signer.certificates[0], form: .xcode)
        let message = try signer.sign(content)
        let whole = Data([0x04, UInt8(content.count)]) + content
        let place = try #require(message.firstRange(of: whole))
        let segments =
            Data([0x04, 4]) + content.prefix(4) + [0x04, 0, 0x04, UInt8(content.count - 4)] + content.dropFirst(4)
        #expect(try verifier.verify(message.replacing(whole, with: segments), asOf: .start) == content)
        // Segments of segments are not read, which are nowhere written.
        let nested = message[..<place.lowerBound] + [0x24, 0x80] + whole + [0, 0] + message[place.upperBound...]
        #expect(throws: VerificationFailure.malformed) { try verifier.verify(nested, asOf: .start) }
    }

    @Test func `The content may tell the signing date`() throws {
        let authority = try CertificateAuthority(now: .start)
        let verifier = try PKCS7Verifier(root: authority.rootCertificate)
        let message = try authority.pkcs7Signer(at: .start).sign(content)
        #expect(try verifier.verify(message) { $0 == content ? .start : nil } == content)
        #expect(throws: VerificationFailure.noSigningDate) { try verifier.verify(message) { _ in nil } }
        #expect(throws: VerificationFailure.notYetValid(.leaf)) { try verifier.verify(message, asOf: .start - .day) }
    }

    @Test func `What is no message is refused, whatever its lengths say`() throws {
        let verifier = try PKCS7Verifier(root: CertificateAuthority(now: .start).rootCertificate)
        let forgeries: [[UInt8]] = [
            [], [0x30], [0x30, 0x80], [0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            [0x30, 0x88, 0x7f] + [UInt8](repeating: 0xff, count: 7),
            [UInt8](repeating: 0x30, count: 100_000), Array(repeatElement([0x30, 0x80], count: 50_000).joined()),
        ]
        for forgery in forgeries {
            #expect(throws: VerificationFailure.malformed) { try verifier.verify(Data(forgery), asOf: .start) }
        }
    }
}

@Suite(.libcrypto, .openSSL) struct PKCS7OpenSSLTests {
    @Test(arguments: [SigningForm.appStore, .xcode])
    func `The openssl tool verifies a message, strictly`(form: SigningForm) throws {
        let signer = try CertificateAuthority(now: .now).pkcs7Signer(at: .now, form: form)
        let tool = try OpenSSL()
        try tool.write(try signer.sign(Data("what is signed".utf8)), to: "message")
        try tool.write(signer.certificates[signer.certificates.count - 1], to: "root.der")
        try tool.run("x509 -inform DER -in root.der -out root.pem")
        for command in ["cms", "smime"] {
            let options = "-verify -inform DER -in message -CAfile root.pem -purpose any -x509_strict"
            let verify = try tool.run("\(command) \(options)")
            #expect(verify.isSuccess && verify.output == "what is signed")
        }
    }
}

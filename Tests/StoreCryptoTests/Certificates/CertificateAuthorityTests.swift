import Foundation
import StoreCrypto
import Testing

@Suite(.libcrypto) struct CertificateAuthorityTests {
    private let payload = Data("{}".utf8)
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(now: .start) }

    @Test func `An authority is made in one call, and a verifier trusts its root alone`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        #expect(try JWSVerifier(root: authority.rootCertificate).verify(jws, asOf: .start) == payload)
        let other = try JWSVerifier(root: CertificateAuthority(now: .start).rootCertificate)
        #expect(throws: VerificationFailure.foreignRoot) { try other.verify(jws, asOf: .start) }
    }

    @Test func `The root is also there as PEM`() throws {
        let lines = authority.rootPEM.split(separator: "\n")
        #expect(lines.first == "-----BEGIN CERTIFICATE-----" && lines.last == "-----END CERTIFICATE-----")
        #expect(Data(base64Encoded: lines.dropFirst().dropLast().joined()) == authority.rootCertificate)
    }

    @Test func `A leaf ends two years after it is made, and begins with its issuer, also when it is renewed`() throws {
        let first = try authority.jwsSigner(at: .start)
        #expect(first.validity == (.start - 3600)..<(.start + 2 * .year))
        #expect(try authority.jwsSigner(at: .start + .year).certificates == first.certificates)

        let later = Date.start + 3 * .year
        let second = try authority.jwsSigner(at: later)
        #expect(second.validity == (.start - 3600)..<(later + 2 * .year))
        #expect(second.certificates[0] != first.certificates[0])
        #expect(second.certificates[1...] == first.certificates[1...])
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        #expect(try verifier.verify(second.sign(payload), asOf: later) == payload)
        #expect(try verifier.verify(first.sign(payload), asOf: .start) == payload)
    }

    @Test func `A lapsed intermediate is renewed too, and what was signed before stays valid`() throws {
        let first = try authority.jwsSigner(at: .start)
        let later = Date.start + 16 * .year
        let second = try authority.jwsSigner(at: later)
        #expect(second.certificates[1] != first.certificates[1])
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        #expect(try verifier.verify(second.sign(payload), asOf: later) == payload)
        #expect(try verifier.verify(first.sign(payload), asOf: .start) == payload)
    }

    @Test func `Nothing is signed outside the root's lifetime`() throws {
        let authority = try CertificateAuthority(now: .start, lifetimes: .init(root: 10 * .day))
        let late = #expect(throws: CryptoError.self) { try authority.jwsSigner(at: .start + 10 * .day) }
        #expect(late?.description.contains("has expired") == true)
        let early = #expect(throws: CryptoError.self) { try authority.jwsSigner(at: .start - .day) }
        #expect(early?.description.contains("is not valid yet") == true)
    }

    @Test func `Dates are those of the store's clock, in any year that a certificate can tell`() throws {
        for seconds in [-631_100_000.0, 0, 2_524_600_000, 2_524_700_000, 250_000_000_000] {
            let date = Date(timeIntervalSince1970: seconds)
            let authority = try CertificateAuthority(now: date)
            let verifier = try JWSVerifier(root: authority.rootCertificate)
            #expect(try verifier.verify(authority.jwsSigner(at: date).sign(payload), asOf: date) == payload)
        }
        #expect(throws: CryptoError.self) { try CertificateAuthority(now: .distantPast) }
        #expect(throws: CryptoError.self) {
            try CertificateAuthority(now: Date(timeIntervalSince1970: 253_402_300_800))
        }
    }

    @Test func `No certificate ends after the year 9999, however late it is made`() throws {
        for date in [Date.start, Date(timeIntervalSince1970: 253_402_000_000)] {
            let authority = try CertificateAuthority(now: date)
            let end = Date(timeIntervalSince1970: 253_402_300_800)
            #expect(authority.validity.upperBound == end && authority.validity.contains(date))
            #expect(try authority.jwsSigner(at: date).validity.upperBound <= end)
        }
    }

    @Test(arguments: [Double.nan, .infinity]) func `A lifetime that is no finite number is refused`(lifetime: Double) {
        let lifetimes = CertificateAuthority.Lifetimes(root: lifetime)
        #expect(throws: CryptoError.self) { try CertificateAuthority(now: .start, lifetimes: lifetimes) }
        #expect(throws: CryptoError.self) { try CertificateAuthority(now: Date(timeIntervalSince1970: .nan)) }
    }

    @Test func `A certificate is valid in the last second of its lifetime, and not in the next`() throws {
        let authority = try CertificateAuthority(now: .start, lifetimes: .init(root: 10_000, leaf: 1000))
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        #expect(try verifier.verify(jws, asOf: .start + 999) == payload)
        #expect(throws: VerificationFailure.expired(.leaf)) { try verifier.verify(jws, asOf: .start + 1000) }
    }

    @Test func `Threads may share an authority, which makes each leaf once`() async throws {
        let leaves = try await inTasks(16) { _ in try authority.jwsSigner(at: .start).certificates[0] }
        #expect(leaves.count == 1)
    }

    @Test func `The revocation list is signed by the intermediate, and counts for its leaves alone`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let list = try authority.revocationList(at: .start)
        let verifier = try JWSVerifier(root: authority.rootCertificate, revocationList: list)
        #expect(try verifier.verify(jws, asOf: .start) == payload)

        let foreign = try CertificateAuthority(now: .start).revocationList(at: .start)
        let mistaken = try JWSVerifier(root: authority.rootCertificate, revocationList: foreign)
        #expect(throws: VerificationFailure.foreignRevocationList) { try mistaken.verify(jws, asOf: .start) }
        #expect(throws: CryptoError.self) {
            try JWSVerifier(root: authority.rootCertificate, revocationList: list.dropLast())
        }
    }
}

@Suite(.libcrypto) struct CertificateSummaryTests {
    @Test func `A certificate's name and dates are read`() throws {
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let summary = try CertificateSummary(CertificateAuthority(now: now).rootCertificate)
        #expect(summary.subject.contains("CN=") && summary.validity.contains(now))
    }

    @Test(arguments: [Data(), Data("no certificate".utf8), Data(repeating: 0x30, count: 100)])
    func `Data that is none is refused`(data: Data) {
        #expect(throws: CryptoError.self) { try CertificateSummary(data) }
    }
}

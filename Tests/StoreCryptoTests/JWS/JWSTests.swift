import Foundation
import StoreCrypto
import Testing

@Suite(.libcrypto) struct JWSTests {
    private let payload = Data(#"{"signedDate":1748736000000,"productId":"gold"}"#.utf8)
    private let authority: CertificateAuthority
    private let verifier: JWSVerifier

    init() throws {
        authority = try CertificateAuthority(now: .start)
        verifier = try JWSVerifier(root: authority.rootCertificate)
    }

    /// Returns a JWS's three parts, decoded.
    private func parts(_ jws: String) throws -> [Data] {
        try jws.split(separator: ".", omittingEmptySubsequences: false).map { part in
            let text = part.replacing("-", with: "+").replacing("_", with: "/")
            return try #require(Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4)))
        }
    }

    private func text(_ data: Data) -> String { String(decoding: data, as: UTF8.self) }

    /// Returns a JWS with another header, whose signature is not over it.
    private func changingHeader(of jws: String, _ change: (String) -> String) throws -> String {
        let header = Data(change(text(try parts(jws)[0])).utf8).base64EncodedString()
        return header.replacing("=", with: "").replacing("+", with: "-").replacing("/", with: "_")
            + jws.drop { $0 != "." }
    }

    @Test func `The App Store's form has three certificates, and a signature of 64 bytes`() throws {
        let signer = try CertificateAuthority(now: .start).jwsSigner(at: .start)
        let parts = try parts(try signer.sign(payload))
        #expect(parts.count == 3)
        let chain = signer.certificates.map { "\"\($0.base64EncodedString())\"" }.joined(separator: ",")
        #expect(text(parts[0]) == #"{"alg":"ES256","x5c":[\#(chain)]}"#)
        #expect(signer.certificates.count == 3)
        #expect(parts[1] == payload && parts[2].count == 64)
    }

    @Test func `Xcode's form has one certificate, and names its key`() throws {
        let signer = try CertificateAuthority(now: .start).jwsSigner(at: .start, form: .xcode)
        let jws = try signer.sign(payload)
        let certificate = signer.certificates[0].base64EncodedString()
        let header = #"{"alg":"ES256","kid":"Apple_Xcode_Key","typ":"JWT","x5c":["\#(certificate)"]}"#
        #expect(text(try parts(jws)[0]) == header)
        #expect(try JWSVerifier(root: signer.certificates[0], form: .xcode).verify(jws, asOf: .start) == payload)
        #expect(throws: VerificationFailure.chainLength(1)) {
            try JWSVerifier(root: signer.certificates[0]).verify(jws, asOf: .start)
        }
    }

    @Test(arguments: [0, 1, 2, 3, 100_000]) func `A payload of any length is verified`(count: Int) throws {
        let signer = try authority.jwsSigner(at: .start)
        let payload = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) })
        for _ in 0..<4 { #expect(try verifier.verify(signer.sign(payload), asOf: .start) == payload) }
    }

    /// Returns the bits of a JWS that may be others.
    private func freeBits(of jws: String, _ verifier: JWSVerifier) async -> [Int] {
        await BitFlips.unnoticed(in: Data(jws.utf8)) { changed in
            (try? verifier.verify(String(decoding: changed, as: UTF8.self), asOf: .start)) != nil
        }
    }

    @Test func `No bit may be another in the App Store's form`() async throws {
        #expect(await freeBits(of: try authority.jwsSigner(at: .start).sign(payload), verifier) == [])
    }

    @Test func `No bit may be another in Xcode's form`() async throws {
        let signer = try CertificateAuthority(now: .start).jwsSigner(at: .start, form: .xcode)
        let verifier = try JWSVerifier(root: signer.certificates[0], form: .xcode)
        #expect(await freeBits(of: try signer.sign(payload), verifier) == [])
    }

    @Test func `Only the canonical encoding is read, even if it means the same`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        #expect(throws: Never.self) { try verifier.verify(jws, asOf: .start) }
        var others = [
            jws + "=", jws + "\n", " " + jws, jws + ".", jws + "A", String(jws.dropLast()), "", ".", "..", "a.b.c",
        ]
        // The last character has four bits that belong to no byte.
        let last = try #require(jws.last)
        for character in "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_" where character != last {
            others.append(jws.dropLast() + String(character))
        }
        for other in others { #expect(throws: VerificationFailure.self) { try verifier.verify(other, asOf: .start) } }
    }

    @Test func `An algorithm other than ES256 is refused for it`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        for algorithm in ["none", "HS256", "ES384", ""] {
            let changed = try changingHeader(of: jws) { $0.replacing("ES256", with: algorithm) }
            #expect(throws: VerificationFailure.wrongAlgorithm) { try verifier.verify(changed, asOf: .start) }
        }
    }

    @Test(arguments: [
        #""crit":["b64"],"b64":false"#, #""crit":["exp"],"exp":1"#, #""crit":[]"#, #""crit":null"#, #""crit":"""#,
    ])
    func `A header with critical extensions is refused for them, since none is understood`(member: String) throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let critical = try changingHeader(of: jws) { "{\(member)," + $0.dropFirst() }
        #expect(throws: VerificationFailure.unknownCriticalHeader) { try verifier.verify(critical, asOf: .start) }
        // Any other member may be ignored, and only the signature is wrong.
        let other = try changingHeader(of: jws) { #"{"cty":"JWT","# + $0.dropFirst() }
        #expect(throws: VerificationFailure.wrongSignature) { try verifier.verify(other, asOf: .start) }
    }

    @Test func `A header that opens one level more than Foundation's parser takes is malformed`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let deep = try changingHeader(of: jws) { _ in String(repeating: "[", count: 513) }
        #expect(throws: VerificationFailure.malformed) { try verifier.verify(deep, asOf: .start) }
    }

    @Test func `A header that was made longer is refused, though it says the same`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let header = try parts(jws)[0]
        let rest = jws.drop { $0 != "." }
        // Short enough, it is read to its end: only the signature is wrong.
        for (spaces, reason) in [(3, VerificationFailure.wrongSignature), (30_000, .malformed)] {
            let longer = header + Data(repeating: UInt8(ascii: " "), count: spaces - header.count % 3 + 3)
            let text = longer.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
            #expect(throws: reason) { try verifier.verify(text + rest, asOf: .start) }
        }
    }

    @Test func `The payload may tell the signing date, and each certificate has to be valid then`() throws {
        let jws = try authority.jwsSigner(at: .start).sign(payload)
        let date: (Data) -> Date? = { payload in
            let object = try? JSONSerialization.jsonObject(with: payload) as? [String: Any]
            return (object?["signedDate"] as? Double).map { Date(timeIntervalSince1970: $0 / 1000) }
        }
        #expect(try verifier.verify(jws, signedAt: date) == payload)
        #expect(throws: VerificationFailure.noSigningDate) { try verifier.verify(jws) { _ in nil } }

        let reasons: [(Date, VerificationFailure)] = [
            (.start - .year, .notYetValid(.leaf)), (.start + 2 * .year, .expired(.leaf)),
            (.distantPast, .notYetValid(.leaf)), (.distantFuture, .expired(.leaf)),
            (Date(timeIntervalSince1970: .nan), .expired(.leaf)),
        ]
        for (date, reason) in reasons { #expect(throws: reason) { try verifier.verify(jws, asOf: date) } }
    }

    @Test func `A verifier keeps many chains apart`() throws {
        let authority = try CertificateAuthority(now: .start, lifetimes: .init(leaf: .day))
        let verifier = try JWSVerifier(root: authority.rootCertificate)
        for number in 0..<20 {
            let date = Date.start + Double(number * 2) * .day
            let jws = try authority.jwsSigner(at: date).sign(payload)
            #expect(try verifier.verify(jws, asOf: date) == payload)
            #expect(throws: VerificationFailure.expired(.leaf)) { try verifier.verify(jws, asOf: date + 2 * .day) }
        }
    }

    @Test func `Threads may share a signer and a verifier`() async throws {
        let signer = try authority.jwsSigner(at: .start)
        let areEqual = try await inTasks(64) { number in
            let payload = Data("\(number)".utf8)
            return try verifier.verify(signer.sign(payload), asOf: .start) == payload
        }
        #expect(areEqual == [true])
    }
}

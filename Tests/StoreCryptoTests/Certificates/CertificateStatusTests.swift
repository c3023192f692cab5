import Foundation
import StoreCore
import StoreCrypto
import TestSupport
import Testing

/// The OCSP responses of an authority, judged by the openssl tool.
@Suite(.libcrypto, .openSSL) struct CertificateStatusTests {
    private let authority: CertificateAuthority
    private let leaf: Data
    private let intermediate: Data

    init() throws {
        authority = try CertificateAuthority(now: .now)
        let chain = try authority.jwsSigner(at: .now).certificates
        (leaf, intermediate) = (chain[0], chain[1])
    }

    /// Asks an authority about a certificate or a serial number, and returns the statuses in a response that the tool has
    /// verified, nonce and signature; nil for one that it refuses.
    private func statuses(
        of subjects: String = "-cert subject.pem",
        _ subject: Data? = nil,
        issuer: Data? = nil,
        options: String = "",
        by responder: CertificateAuthority? = nil
    ) throws -> [String]? {
        let tool = try OpenSSL()
        try tool.write(pem(subject ?? leaf), to: "subject.pem")
        try tool.write(pem(issuer ?? intermediate), to: "issuer.pem")
        try tool.write(Data(authority.rootPEM.utf8), to: "root.pem")
        try #require(tool.run("ocsp \(options) -issuer issuer.pem \(subjects) -reqout request").isSuccess)
        let response = (responder ?? authority).statusResponse(to: try tool.read("request"), at: .now)
        try tool.write(response, to: "response")
        let command = "ocsp -reqin request -respin response -issuer issuer.pem -CAfile root.pem -resp_text"
        let judged = try tool.run(command)
        // A response without the nonce would pass, with a warning.
        #expect(judged.output.contains("OCSP Nonce") == !options.contains("-no_nonce") || !judged.isSuccess)
        let lines = judged.output.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
        let prefix = "Cert Status: "
        return judged.isSuccess ? lines.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) } : nil
    }

    private func pem(_ certificate: Data) -> Data {
        let body = certificate.base64EncodedString(options: .lineLength64Characters)
        return Data("-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n".utf8)
    }

    @Test(arguments: ["-sha1", "-sha256", "-sha384", "-no_nonce"])
    func `What the authority has issued is good`(options: String) throws {
        #expect(try statuses(options: options) == ["good"])
        #expect(try statuses(intermediate, issuer: authority.rootCertificate, options: options) == ["good"])
        let receipts = try authority.pkcs7Signer(at: .now).certificates
        #expect(try statuses(receipts[0], options: options) == ["good"])
    }

    @Test func `The leaves of the defect are revoked, as on the list`() throws {
        #expect(try statuses(authority.jwsSigner(at: .now, defect: .revoked).certificates[0]) == ["revoked"])
        #expect(try statuses(authority.pkcs7Signer(at: .now, defect: .revoked).certificates[0]) == ["revoked"])
        #expect(try statuses(authority.jwsSigner(at: .now, defect: .missingLeafMarker).certificates[0]) == ["good"])
    }

    @Test func `Several certificates are told of in one response`() throws {
        let foreign = "-serial 0x20112233445566778899aabbccddeeff -serial -5 -serial 7"
        #expect(try statuses(of: "-cert subject.pem \(foreign)") == ["good", "unknown", "unknown", "unknown"])
    }

    @Test func `A certificate of another issuer is unknown beside an own one`() throws {
        // The intermediate's key cannot speak of what the root has issued.
        let subjects = "-cert subject.pem -issuer other.pem -cert other-subject.pem"
        let tool = try OpenSSL()
        try tool.write(pem(leaf), to: "subject.pem")
        try tool.write(pem(intermediate), to: "issuer.pem")
        try tool.write(pem(intermediate), to: "other-subject.pem")
        try tool.write(Data(authority.rootPEM.utf8), to: "other.pem")
        try #require(tool.run("ocsp -issuer issuer.pem \(subjects) -reqout request").isSuccess)
        try tool.write(authority.statusResponse(to: tool.read("request"), at: .now), to: "response")
        let judged = try tool.run(
            "ocsp -reqin request -respin response -issuer issuer.pem -CAfile other.pem -resp_text"
        )
        #expect(judged.isSuccess)
        #expect(judged.output.contains("Cert Status: good") && judged.output.contains("Cert Status: unknown"))
    }

    @Test func `An authority does not speak of another's certificates`() throws {
        let other = try CertificateAuthority(now: .now)
        #expect(try statuses(by: other) == nil)
        let tool = try OpenSSL()
        try tool.write(pem(leaf), to: "subject.pem")
        try tool.write(pem(intermediate), to: "issuer.pem")
        try tool.run("ocsp -issuer issuer.pem -cert subject.pem -reqout request")
        #expect(other.statusResponse(to: try tool.read("request"), at: .now) == StatusFailure.unauthorized.response)
    }

    @Test func `A response applies from its date for a day`() throws {
        let tool = try OpenSSL()
        try tool.write(pem(leaf), to: "subject.pem")
        try tool.write(pem(intermediate), to: "issuer.pem")
        try tool.run("ocsp -issuer issuer.pem -cert subject.pem -reqout request")
        // 1 June 2025.
        try tool.write(authority.statusResponse(to: tool.read("request"), at: .start), to: "response")
        let text = try tool.run("ocsp -respin response -issuer issuer.pem -noverify -resp_text").output
        #expect(text.contains("This Update: Jun  1 00:00:00 2025 GMT"))
        #expect(text.contains("Next Update: Jun  2 00:00:00 2025 GMT"))
    }

    @Test func `What is no request is malformed, wherever it ends`() throws {
        let tool = try OpenSSL()
        try tool.write(pem(leaf), to: "subject.pem")
        try tool.write(pem(intermediate), to: "issuer.pem")
        try tool.run("ocsp -issuer issuer.pem -cert subject.pem -reqout request")
        let request = try tool.read("request")
        let malformed = StatusFailure.malformedRequest.response
        #expect(authority.statusResponse(to: request, at: .now) != malformed)
        for count in 0..<request.count {
            #expect(authority.statusResponse(to: request.prefix(count), at: .now) == malformed)
        }
        #expect(authority.statusResponse(to: request + [0], at: .now) == malformed)
        // A request about nothing: two sequences, one in the other, around an empty list.
        #expect(authority.statusResponse(to: Data([0x30, 4, 0x30, 2, 0x30, 0]), at: .now) == malformed)
        // The tool reads the status out of a response without a signature.
        try tool.write(malformed, to: "response")
        #expect(try tool.run("ocsp -respin response -resp_text -noverify").output.contains("malformedrequest (1)"))
    }

    @Test func `A store whose time is far from now gets an answer all the same`() throws {
        for distance in [-30, 30] {
            let far = try CertificateAuthority(now: .now + Double(distance) * .year)
            let chain = try far.jwsSigner(at: .now + Double(distance) * .year).certificates
            let tool = try OpenSSL()
            try tool.write(pem(chain[0]), to: "subject.pem")
            try tool.write(pem(chain[1]), to: "issuer.pem")
            try tool.run("ocsp -issuer issuer.pem -cert subject.pem -reqout request")
            try tool.write(far.statusResponse(to: tool.read("request"), at: .now), to: "response")
            let text = try tool.run("ocsp -respin response -issuer issuer.pem -noverify -resp_text").output
            #expect(text.contains("Cert Status: good"))
        }
    }
}

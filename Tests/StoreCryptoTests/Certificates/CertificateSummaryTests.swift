import Foundation
import StoreCrypto
import Testing

@Suite(.libcrypto) struct CertificateSummaryTests {
    @Test func `A certificate's name and dates are read`() throws {
        let now = Date(timeIntervalSince1970: 1_735_689_600)
        let authority = try CertificateAuthority(now: now)
        let summary = try CertificateSummary(authority.rootCertificate)
        #expect(summary.subject.contains("CN="))
        #expect(summary.validity.contains(now))
    }

    @Test(arguments: [Data(), Data("no certificate".utf8), Data(repeating: 0x30, count: 100)])
    func `Data that is none is refused`(data: Data) {
        #expect(throws: CryptoError.self) { try CertificateSummary(data) }
    }
}

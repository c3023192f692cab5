import Foundation

/// What a certificate says of itself, to be shown.
package struct CertificateSummary: Hashable, Sendable {
    /// The name of whom it is for, as in `/CN=Example/C=US`.
    package let subject: String
    /// The dates from the first that it is valid at to the first after its end.
    package let validity: Range<Date>

    /// Reads a certificate in DER, of any content.
    ///
    /// - Throws: ``CryptoError`` for data that is none, and where libcrypto is missing.
    package init(_ data: Data) throws(CryptoError) {
        let certificate = try Certificate(data)
        (subject, validity) = (certificate.subjectText, certificate.validity)
    }
}

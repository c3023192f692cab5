import Foundation

/// The reason for which an OCSP responder tells no status; the raw value is RFC 6960's.
package enum StatusFailure: UInt8, Sendable {
    /// The request is not in its form.
    case malformedRequest = 1
    /// The responder failed.
    case internalError = 2
    /// The responder is not available for now.
    case tryLater = 3
    /// The responder does not answer for the issuer of the certificate.
    case unauthorized = 6

    /// The response in DER, which has no signature: a sequence of one ENUMERATED.
    package var response: Data { Data([0x30, 3, 0x0a, 1, rawValue]) }
}

extension CertificateAuthority {
    /// Returns the response to an OCSP request, in DER.
    ///
    /// The root's key signs the status of the intermediate, and the intermediate's key that of the leaves: those of
    /// ``Defect/revoked`` are revoked, other serial numbers of the authority's are good, and all others are unknown.
    /// The algorithm of the hashes in the request may be any that libcrypto has, such as SHA-1 and SHA-256.
    ///
    /// - Parameters:
    ///   - request: untrusted input, of any content and length.
    ///   - date: the date from which the response applies, for a day. Verifiers compare it with the system's clock.
    /// - Returns: the response.
    package func statusResponse(to request: Data, at date: Date) -> Data {
        guard let request = StatusRequest(request) else { return StatusFailure.malformedRequest.response }
        do throws(CryptoError) {
            // Any of the intermediate's certificates will do: they have one name and one key.
            let known = min(max(date, validity.lowerBound), validity.upperBound - 1)
            let intermediate = try certified(.intermediate, at: known)
            let revoked = Set(CertificateRole.allCases.filter { $0.issuer == .intermediate }.map(revokedSerialNumber))
            let end = date + 86_400
            if request.isAbout(intermediate.certificate) {
                return try request.response(by: intermediate.key, intermediate.certificate, validFor: date..<end) {
                    number in
                    revoked.contains(number) ? .revoked(validity.lowerBound) : Self.status(of: number)
                }
            }
            guard request.isAbout(root.certificate) else { return StatusFailure.unauthorized.response }
            return try request.response(by: root.key, root.certificate, validFor: date..<end, Self.status)
        } catch {
            return StatusFailure.internalError.response
        }
    }

    private static func status(of serialNumber: [UInt8]) -> CertificateStatus {
        CertificateTemplate.isRandom(serialNumber) ? .good : .unknown
    }
}

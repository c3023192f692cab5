#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// A request for the status of certificates by OCSP (RFC 6960).
    final class StatusRequest {
        private let pointer: OpaquePointer

        /// Reads a request in DER; nil for any other data, and for a request that is about no certificate.
        init?(_ data: Data) {
            guard let pointer = Libcrypto.decoded(data, d2i_OCSP_REQUEST, free: OCSP_REQUEST_free) else { return nil }
            guard OCSP_request_onereq_count(pointer) > 0 else {
                OCSP_REQUEST_free(pointer)
                return nil
            }
            self.pointer = pointer
        }

        deinit { OCSP_REQUEST_free(pointer) }

        /// Returns whether the request is about a certificate that an issuer could have issued.
        func isAbout(_ issuer: Certificate) -> Bool { identifiers.contains { Self.isIssuer(issuer, in: $0) } }

        /// Returns a response with the issuer's signature, and with the request's nonce if it has one.
        ///
        /// Certificates of other issuers are unknown: their status would need the signatures of those.
        ///
        /// - Parameters:
        ///   - key: the issuer's key.
        ///   - issuer: the issuer's certificate.
        ///   - validity: the dates for which the response applies.
        ///   - status: returns the status of the certificate with a serial number.
        /// - Returns: the response in DER.
        /// - Throws: a ``CryptoError`` if libcrypto fails.
        func response(
            by key: Key,
            _ issuer: Certificate,
            validFor validity: Range<Date>,
            _ status: ([UInt8]) -> CertificateStatus
        ) throws(CryptoError) -> Data {
            let content = OCSP_BASICRESP_new()
            let (start, end) = (Self.time(validity.lowerBound), Self.time(validity.upperBound))
            defer {
                OCSP_BASICRESP_free(content)
                ASN1_TIME_free(start)
                ASN1_TIME_free(end)
            }
            for identifier in identifiers {
                let isOwn = Self.isIssuer(issuer, in: identifier)
                let status = isOwn ? status(Self.serialNumber(in: identifier)) : .unknown
                let revocation: UnsafeMutablePointer<ASN1_TIME>? =
                    if case .revoked(let date) = status { Self.time(date) } else { nil }
                defer { ASN1_TIME_free(revocation) }
                _ = OCSP_basic_add1_status(content, identifier, status.number, -1, revocation, start, end)
            }
            OCSP_copy_nonce(content, pointer)
            // Verifiers know the issuer: its certificate is not sent, which some take for that of a delegate.
            let flags = UInt(OCSP_NOCERTS | OCSP_RESPID_KEY)
            let isSigned =
                OCSP_basic_sign(content, issuer.pointer, key.pointer, EVP_sha384(), nil, flags) == 1
            let response = isSigned ? OCSP_response_create(OCSP_RESPONSE_STATUS_SUCCESSFUL, content) : nil
            defer { OCSP_RESPONSE_free(response) }
            guard let response else { throw Libcrypto.failure("libcrypto could not sign a certificate's status") }
            return Libcrypto.encoded { i2d_OCSP_RESPONSE(response, $0) }
        }

        private var identifiers: [OpaquePointer?] {
            (0..<OCSP_request_onereq_count(pointer)).map { OCSP_onereq_get0_id(OCSP_request_onereq_get0(pointer, $0)) }
        }

        /// Returns whether an identifier names an issuer, by the hashes of its name and its key.
        private static func isIssuer(_ issuer: Certificate, in identifier: OpaquePointer?) -> Bool {
            var algorithm: OpaquePointer?
            OCSP_id_get0_info(nil, &algorithm, nil, nil, identifier)
            let digest = EVP_get_digestbyname(OBJ_nid2sn(OBJ_obj2nid(algorithm)))
            let own = digest == nil ? nil : OCSP_cert_to_id(digest, nil, issuer.pointer)
            defer {
                OCSP_CERTID_free(own)
                ERR_clear_error()
            }
            return own != nil && OCSP_id_issuer_cmp(identifier, own) == 0
        }

        /// Returns the bytes of the serial number in an identifier; none for a negative one.
        private static func serialNumber(in identifier: OpaquePointer?) -> [UInt8] {
            var number: UnsafeMutablePointer<ASN1_INTEGER>?
            OCSP_id_get0_info(nil, nil, nil, &number, identifier)
            guard let number, ASN1_STRING_type(number) == V_ASN1_INTEGER else { return [] }
            let count = Int(ASN1_STRING_length(number))
            return Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: count))
        }

        private static func time(_ date: Date) -> UnsafeMutablePointer<ASN1_TIME>? {
            ASN1_TIME_set(nil, Int(date.timeIntervalSince1970))
        }
    }

    extension CertificateStatus {
        fileprivate var number: Int32 {
            switch self {
            case .good: V_OCSP_CERTSTATUS_GOOD
            case .revoked: V_OCSP_CERTSTATUS_REVOKED
            case .unknown: V_OCSP_CERTSTATUS_UNKNOWN
            }
        }
    }
#endif

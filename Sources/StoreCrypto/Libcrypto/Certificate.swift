#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// An X.509 certificate.
    // unchecked: libcrypto lets threads share a certificate that is not modified, and it is immutable once read.
    final class Certificate: @unchecked Sendable {
        /// The encoded certificate as it was read.
        let data: Data
        /// The subject's public key.
        let key: Key
        /// The dates of validity; the upper bound is the first date after its end.
        let validity: Range<Date>
        let pointer: OpaquePointer

        /// Reads a certificate in DER.
        init(_ data: Data) throws(CryptoError) {
            let pointer = Libcrypto.decoded(data, d2i_X509, free: X509_free)
            // The bytes are compared because the signature does not cover the encoding around the signed part.
            guard let pointer, Libcrypto.encoded({ i2d_X509(pointer, $0) }) == data,
                let start = Self.date(X509_get0_notBefore(pointer)),
                let end = Self.date(X509_get0_notAfter(pointer)), start <= end
            else {
                X509_free(pointer)
                throw CryptoError("the data is no certificate in DER")
            }
            do {
                key = try Key(X509_get_pubkey(pointer), canSign: false, else: "the certificate is for no known key")
            } catch {
                X509_free(pointer)
                throw error
            }
            // A certificate is still valid in its last second (RFC 5280, 4.1.2.5).
            (self.data, self.pointer, validity) = (data, pointer, start..<(end + 1))
        }

        deinit { X509_free(pointer) }

        /// The subject's name in DER.
        var subject: Data { Libcrypto.encoded { i2d_X509_NAME(X509_get_subject_name(pointer), $0) } }

        /// The subject's name as text, truncated if it is very long.
        var subjectText: String {
            var text = [CChar](repeating: 0, count: 512)
            X509_NAME_oneline(X509_get_subject_name(pointer), &text, Int32(text.count))
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }

        /// The issuer's name and the serial number, each in DER, which identify the certificate.
        var issuerAndSerialNumber: Data {
            Libcrypto.encoded { i2d_X509_NAME(X509_get_issuer_name(pointer), $0) }
                + Libcrypto.encoded { i2d_ASN1_INTEGER(X509_get0_serialNumber(pointer), $0) }
        }

        /// Returns whether the certificate has the extension with an object identifier, given as numbers with dots.
        func has(_ identifier: String) -> Bool {
            let object = OBJ_txt2obj(identifier, 1)
            defer { ASN1_OBJECT_free(object) }
            return X509_get_ext_by_OBJ(pointer, object, -1) >= 0
        }

        /// The URL of the first OCSP responder that the certificate names; nil if it names none.
        var responder: String? {
            let texts = X509_get1_ocsp(pointer)
            defer { X509_email_free(texts) }
            guard let text = OPENSSL_sk_value(texts, 0) else { return nil }
            return String(cString: text.assumingMemoryBound(to: CChar.self))
        }

        /// Whether the certificate may issue others.
        var isAuthority: Bool { X509_check_ca(pointer) == 1 }

        /// Whether the certificate is signed with its own key.
        var isSelfSigned: Bool {
            defer { ERR_clear_error() }
            return X509_self_signed(pointer, 1) == 1
        }

        /// Returns whether exactly these certificates lead from this one to an anchor, whatever the time.
        ///
        /// Uses libcrypto's strict verification: signatures, names, key identifiers and permitted uses.
        func isTrusted(through others: [Certificate], to anchor: Certificate) -> Bool {
            let (store, context, untrusted) = (X509_STORE_new(), X509_STORE_CTX_new(), OPENSSL_sk_new_null())
            defer {
                X509_STORE_CTX_free(context)
                OPENSSL_sk_free(untrusted)
                X509_STORE_free(store)
                ERR_clear_error()
            }
            for other in others { OPENSSL_sk_push(untrusted, UnsafeRawPointer(other.pointer)) }
            guard X509_STORE_add_cert(store, anchor.pointer) == 1,
                X509_STORE_CTX_init(context, store, pointer, untrusted) == 1
            else { return false }
            let flags = X509_V_FLAG_X509_STRICT | X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME
            X509_STORE_CTX_set_flags(context, UInt(flags))
            return X509_verify_cert(context) == 1
                && Int(OPENSSL_sk_num(X509_STORE_CTX_get0_chain(context))) == others.count + 2
        }

        /// Returns whether the certificate is on a revocation list; nil if the list is not that of its issuer.
        func isRevoked(by list: RevocationList, issuer: Certificate) -> Bool? {
            guard list.issuer == issuer.subject, X509_CRL_verify(list.pointer, issuer.key.pointer) == 1 else {
                ERR_clear_error()
                return nil
            }
            var entry: OpaquePointer?
            return X509_CRL_get0_by_cert(list.pointer, &entry, pointer) == 1
        }

        private static func date(_ time: UnsafePointer<ASN1_TIME>?) -> Date? {
            let epoch = ASN1_TIME_set(nil, 0)
            defer { ASN1_TIME_free(epoch) }
            var (days, seconds): (Int32, Int32) = (0, 0)
            guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return nil }
            return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(seconds))
        }
    }

    /// A list of revoked certificates (CRL).
    // unchecked: libcrypto lets threads share a list that is not modified, and it is immutable once read.
    final class RevocationList: @unchecked Sendable {
        let pointer: OpaquePointer

        /// Reads a list in DER.
        init(_ data: Data) throws(CryptoError) {
            guard let pointer = Libcrypto.decoded(data, d2i_X509_CRL, free: X509_CRL_free) else {
                throw CryptoError("the data is no revocation list in DER")
            }
            self.pointer = pointer
        }

        deinit { X509_CRL_free(pointer) }

        /// The issuer's name in DER.
        var issuer: Data { Libcrypto.encoded { i2d_X509_NAME(X509_CRL_get_issuer(pointer), $0) } }
    }
#endif

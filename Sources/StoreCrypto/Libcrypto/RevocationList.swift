#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// A list of revoked certificates (CRL).
    // unchecked: as a certificate.
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

#if canImport(CLibcrypto)
    import CLibcrypto

    /// A key with nothing around it: SHA-256 and libcrypto's operation on the hash, whose contexts are made once.
    final class BareKey {
        /// A failure of libcrypto.
        struct Failure: Error {}

        private let key: OpaquePointer?
        private let signing: OpaquePointer?
        private let verifying: OpaquePointer?
        private let sha256 = EVP_MD_fetch(nil, "SHA256", nil)
        private var hash = [UInt8](repeating: 0, count: 32)
        private var signature: [UInt8]

        /// Creates a random RSA key of 2048 bits, which signs by PKCS #1.
        static func rsa2048() throws -> BareKey { try BareKey("RSA") { EVP_PKEY_CTX_set_rsa_keygen_bits($0, 2048) } }

        /// Creates a random key on P-256.
        static func p256() throws -> BareKey { try BareKey("EC") { EVP_PKEY_CTX_set_group_name($0, "P-256") } }

        private init(_ algorithm: String, _ setUp: (OpaquePointer?) -> CInt) throws {
            let generator = EVP_PKEY_CTX_new_from_name(nil, algorithm, nil)
            defer { EVP_PKEY_CTX_free(generator) }
            var key: OpaquePointer?
            let isMade =
                EVP_PKEY_keygen_init(generator) == 1 && setUp(generator) == 1 && EVP_PKEY_generate(generator, &key) == 1
            self.key = key
            signature = [UInt8](repeating: 0, count: Int(EVP_PKEY_get_size(key)))
            signing = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
            verifying = EVP_PKEY_CTX_new_from_pkey(nil, key, nil)
            guard isMade, EVP_PKEY_sign_init(signing) == 1, EVP_PKEY_verify_init(verifying) == 1 else {
                throw Failure()
            }
            if algorithm == "RSA" {
                // RSA_PKCS1_PADDING, a macro's number.
                for context in [signing, verifying] { EVP_PKEY_CTX_set_rsa_padding(context, 1) }
            }
            for context in [signing, verifying] { EVP_PKEY_CTX_set_signature_md(context, sha256) }
        }

        deinit {
            EVP_PKEY_CTX_free(signing)
            EVP_PKEY_CTX_free(verifying)
            EVP_MD_free(sha256)
            EVP_PKEY_free(key)
        }

        /// Signs bytes; returns the length of the signature, or 0.
        func sign(_ bytes: [UInt8]) -> Int {
            var count = signature.count
            guard EVP_Digest(bytes, bytes.count, &hash, nil, sha256, nil) == 1,
                EVP_PKEY_sign(signing, &signature, &count, hash, hash.count) == 1
            else { return 0 }
            signatureLength = count
            return count
        }

        private var signatureLength = 0

        /// Returns whether the last signature is over the bytes.
        func isValid(for bytes: [UInt8]) -> Bool {
            EVP_Digest(bytes, bytes.count, &hash, nil, sha256, nil) == 1
                && EVP_PKEY_verify(verifying, signature, signatureLength, hash, hash.count) == 1
        }
    }
#endif

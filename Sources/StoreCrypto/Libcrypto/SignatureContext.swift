#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// A key that is prepared to sign or verify messages with a common prefix.
    ///
    /// The key is looked up and the prefix is hashed once; each message continues from a copy.
    // unchecked: once created, the two contexts are only copied, which libcrypto permits concurrently.
    final class SignatureContext: @unchecked Sendable {
        private let key: Key
        private let signing: OpaquePointer?
        private let verifying: OpaquePointer

        /// Creates a context for a key, a digest and the first bytes of each message.
        init(_ key: Key, _ digest: Digest, prefix: [UInt8] = []) throws(CryptoError) {
            self.key = key
            let verifying = EVP_MD_CTX_new()
            let signing = key.canSign ? EVP_MD_CTX_new() : nil
            let isReady =
                EVP_DigestVerifyInit(verifying, nil, digest.algorithm, nil, key.pointer) == 1
                && EVP_DigestUpdate(verifying, prefix, prefix.count) == 1
                && (!key.canSign
                    || EVP_DigestSignInit(signing, nil, digest.algorithm, nil, key.pointer) == 1
                        && EVP_DigestUpdate(signing, prefix, prefix.count) == 1)
            guard isReady, let verifying else {
                EVP_MD_CTX_free(verifying)
                EVP_MD_CTX_free(signing)
                throw Libcrypto.failure("libcrypto could not sign with the key")
            }
            (self.signing, self.verifying) = (signing, verifying)
        }

        deinit {
            EVP_MD_CTX_free(signing)
            EVP_MD_CTX_free(verifying)
        }

        /// Signs the prefix and the bytes.
        ///
        /// - Returns: the signature, in the form PKCS #1 v1.5 for RSA, and in DER for ECDSA.
        func sign(_ bytes: some ContiguousBytes) throws(CryptoError) -> [UInt8] {
            guard let signing else { throw CryptoError("only the public key is known, which signs nothing") }
            let context = Self.copy(signing)
            defer { EVP_MD_CTX_free(context) }
            var count = Int(EVP_PKEY_get_size(key.pointer))
            var signature = [UInt8](repeating: 0, count: count)
            guard bytes.withUnsafeBytes({ EVP_DigestUpdate(context, $0.baseAddress, $0.count) }) == 1,
                EVP_DigestSignFinal(context, &signature, &count) == 1
            else { throw Libcrypto.failure("libcrypto could not sign") }
            signature.removeLast(signature.count - count)
            return signature
        }

        /// Returns whether the signature is the key's for the prefix and the bytes.
        func isValid(_ signature: some ContiguousBytes, for bytes: some ContiguousBytes) -> Bool {
            let context = Self.copy(verifying)
            defer { EVP_MD_CTX_free(context) }
            let isValid =
                bytes.withUnsafeBytes({ EVP_DigestUpdate(context, $0.baseAddress, $0.count) }) == 1
                && signature.withUnsafeBytes { signature in
                    let start = signature.bindMemory(to: UInt8.self).baseAddress
                    return EVP_DigestVerifyFinal(context, start, signature.count) == 1
                }
            // A malformed signature adds an entry to the thread's error queue.
            if !isValid { ERR_clear_error() }
            return isValid
        }

        private static func copy(_ original: OpaquePointer) -> OpaquePointer? {
            let context = EVP_MD_CTX_new()
            EVP_MD_CTX_copy_ex(context, original)
            // The copy is used for one signature only; without this flag libcrypto would copy it again.
            EVP_MD_CTX_set_flags(context, EVP_MD_CTX_FLAG_FINALISE)
            return context
        }
    }

    extension Digest {
        fileprivate var algorithm: OpaquePointer? {
            switch self {
            case .sha1: EVP_sha1()
            case .sha256: EVP_sha256()
            case .sha384: EVP_sha384()
            }
        }

        func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
            var hash = [UInt8](repeating: 0, count: 64)
            var count: UInt32 = 0
            bytes.withUnsafeBytes { _ = EVP_Digest($0.baseAddress, $0.count, &hash, &count, algorithm, nil) }
            return Array(hash.prefix(Int(count)))
        }
    }
#endif

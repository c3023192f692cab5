#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// A key on the curve P-256, or its public half.
    // unchecked: libcrypto lets threads share a key that is not modified, and it never is once it is created.
    final class P256Key: @unchecked Sendable {
        static let isAvailable = true

        private let key: OpaquePointer
        private let canSign: Bool

        /// Takes ownership of a key.
        private init(_ key: OpaquePointer?, canSign: Bool, else trouble: String) throws(CryptoError) {
            guard let key else {
                ERR_clear_error()
                throw CryptoError(trouble)
            }
            guard Self.isOnCurve(key) else {
                EVP_PKEY_free(key)
                throw CryptoError("the key is not on the curve P-256")
            }
            self.key = key
            self.canSign = canSign
        }

        deinit { EVP_PKEY_free(key) }

        static func generated() throws(CryptoError) -> P256Key {
            let context = EVP_PKEY_CTX_new_from_name(nil, "EC", nil)
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            if EVP_PKEY_keygen_init(context) == 1, EVP_PKEY_CTX_set_group_name(context, "P-256") == 1 {
                _ = EVP_PKEY_generate(context, &key)
            }
            return try P256Key(key, canSign: true, else: "libcrypto could not make a key")
        }

        static func `private`(_ data: Data) throws(CryptoError) -> P256Key {
            try P256Key(read(data, d2i_AutoPrivateKey), canSign: true, else: "the data is no private key in DER")
        }

        static func `public`(_ data: Data) throws(CryptoError) -> P256Key {
            try P256Key(read(data, d2i_PUBKEY), canSign: false, else: "the data is no public key in DER")
        }

        private typealias Reader = (
            UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
        ) -> OpaquePointer?

        /// Reads a key.
        ///
        /// Nil also if there is data behind it.
        private static func read(_ data: Data, _ reader: Reader) -> OpaquePointer? {
            let bytes = [UInt8](data)
            return bytes.withUnsafeBufferPointer { buffer in
                var position = buffer.baseAddress
                let key = reader(nil, &position, buffer.count)
                if position == buffer.baseAddress.map({ $0 + buffer.count }) { return key }
                EVP_PKEY_free(key)
                return nil
            }
        }

        private static func isOnCurve(_ key: OpaquePointer) -> Bool {
            var name = [CChar](repeating: 0, count: 64)
            var count = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else {
                ERR_clear_error()
                return false
            }
            return name.prefix(count).elementsEqual("prime256v1".utf8.map { CChar($0) })
        }

        /// The public key as a SubjectPublicKeyInfo in DER.
        var publicKey: Data {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = i2d_PUBKEY(key, &bytes)
            defer { CRYPTO_free(bytes, #file, #line) }
            guard count > 0, let bytes else { return Data() }
            return Data(bytes: bytes, count: Int(count))
        }

        /// Signs a message with ECDSA and SHA-256, the signature in DER.
        func sign(_ message: Data) throws(CryptoError) -> Data {
            guard canSign else { throw CryptoError("only the public key is known, which signs nothing") }
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            let bytes = [UInt8](message)
            var count = 0
            guard EVP_DigestSignInit(context, nil, EVP_sha256(), nil, key) == 1,
                EVP_DigestSign(context, nil, &count, bytes, bytes.count) == 1
            else { throw Self.signingTrouble }
            var signature = [UInt8](repeating: 0, count: count)
            guard EVP_DigestSign(context, &signature, &count, bytes, bytes.count) == 1 else {
                throw Self.signingTrouble
            }
            return Data(signature.prefix(count))
        }

        func isValid(_ signature: Data, for message: Data) -> Bool {
            let context = EVP_MD_CTX_new()
            defer { EVP_MD_CTX_free(context) }
            let (bytes, code) = ([UInt8](message), [UInt8](signature))
            let isValid =
                EVP_DigestVerifyInit(context, nil, EVP_sha256(), nil, key) == 1
                && EVP_DigestVerify(context, code, code.count, bytes, bytes.count) == 1
            // A malformed signature leaves an entry in the thread's list of errors.
            if !isValid { ERR_clear_error() }
            return isValid
        }

        private static var signingTrouble: CryptoError {
            ERR_clear_error()
            return CryptoError("libcrypto could not sign")
        }
    }
#else
    import Foundation

    /// The placeholder for a key where there is no libcrypto: it is never created.
    struct P256Key: Sendable {
        static let isAvailable = false

        private init() {}

        static func generated() throws(CryptoError) -> P256Key { throw .unavailable }
        static func `private`(_ data: Data) throws(CryptoError) -> P256Key { throw .unavailable }
        static func `public`(_ data: Data) throws(CryptoError) -> P256Key { throw .unavailable }

        var publicKey: Data { Data() }
        func sign(_ message: Data) throws(CryptoError) -> Data { throw .unavailable }
        func isValid(_ signature: Data, for message: Data) -> Bool { false }
    }
#endif

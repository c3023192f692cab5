#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    /// An elliptic curve or RSA key, or its public half.
    // unchecked: libcrypto lets threads share a key that is not modified, and it is immutable once created.
    final class Key: @unchecked Sendable {
        static let isAvailable = true

        let kind: KeyKind
        let canSign: Bool
        let pointer: OpaquePointer

        /// Takes ownership of a key.
        init(_ pointer: OpaquePointer?, canSign: Bool, else trouble: String) throws(CryptoError) {
            guard let pointer else { throw Libcrypto.failure(trouble) }
            guard let kind = Self.kind(of: pointer) else {
                EVP_PKEY_free(pointer)
                throw Libcrypto.failure("the key is not RSA's, and not on the curve P-256 or P-384")
            }
            (self.kind, self.canSign, self.pointer) = (kind, canSign, pointer)
        }

        deinit { EVP_PKEY_free(pointer) }

        /// Returns a new random key.
        static func generated(_ kind: KeyKind) throws(CryptoError) -> Key {
            let context = EVP_PKEY_CTX_new_from_name(nil, kind.algorithm, nil)
            defer { EVP_PKEY_CTX_free(context) }
            var key: OpaquePointer?
            if EVP_PKEY_keygen_init(context) == 1 {
                let isSet =
                    switch kind {
                    case .p256, .p384: EVP_PKEY_CTX_set_group_name(context, kind.description)
                    case .rsa(let bits): EVP_PKEY_CTX_set_rsa_keygen_bits(context, Int32(bits))
                    }
                if isSet == 1 { _ = EVP_PKEY_generate(context, &key) }
            }
            return try Key(key, canSign: true, else: "libcrypto could not make a key")
        }

        /// Reads a private key: PKCS #8, or the older form of its algorithm.
        static func `private`(_ data: Data) throws(CryptoError) -> Key {
            let key = Libcrypto.decoded(data, d2i_AutoPrivateKey, free: EVP_PKEY_free)
            return try Key(key, canSign: true, else: "the data is no private key in DER")
        }

        /// Reads a public key, a SubjectPublicKeyInfo.
        static func `public`(_ data: Data) throws(CryptoError) -> Key {
            let key = Libcrypto.decoded(data, d2i_PUBKEY, free: EVP_PKEY_free)
            return try Key(key, canSign: false, else: "the data is no public key in DER")
        }

        private static func kind(of key: OpaquePointer) -> KeyKind? {
            if EVP_PKEY_is_a(key, "RSA") == 1 { return .rsa(bits: Int(EVP_PKEY_get_bits(key))) }
            var name = [CChar](repeating: 0, count: 64)
            var count = 0
            guard EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
            return switch String(decoding: name.prefix(count).map(UInt8.init), as: UTF8.self) {
            case "prime256v1": .p256
            case "secp384r1": .p384
            default: nil
            }
        }

        /// The public key as a SubjectPublicKeyInfo in DER.
        var publicKey: Data { Libcrypto.encoded { i2d_PUBKEY(pointer, $0) } }

        /// The private key in DER, PKCS #8.
        var privateKey: Data {
            let info = EVP_PKEY2PKCS8(pointer)
            defer { PKCS8_PRIV_KEY_INFO_free(info) }
            return Libcrypto.encoded { i2d_PKCS8_PRIV_KEY_INFO(info, $0) }
        }

        /// Returns whether both keys have the same public half.
        func isPair(of other: Key) -> Bool { EVP_PKEY_eq(pointer, other.pointer) == 1 }
    }

    extension KeyKind {
        fileprivate var algorithm: String {
            switch self {
            case .p256, .p384: "EC"
            case .rsa: "RSA"
            }
        }
    }

    extension Libcrypto {
        typealias Decoder = (
            UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
        ) -> OpaquePointer?

        /// Decodes an object; nil unless it comprises all of the data.
        static func decoded(_ data: Data, _ decode: Decoder, free: (OpaquePointer?) -> Void) -> OpaquePointer? {
            data.withUnsafeBytes { buffer in
                let start = buffer.bindMemory(to: UInt8.self).baseAddress
                var position = start
                let object = decode(nil, &position, buffer.count)
                if let start, position == start + buffer.count { return object }
                free(object)
                ERR_clear_error()
                return nil
            }
        }

        /// Returns the output of one of libcrypto's encoders; empty if it is out of memory.
        static func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> Data {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = encode(&bytes)
            defer { CRYPTO_free(bytes, #file, #line) }
            guard count > 0, let bytes else { return Data() }
            return Data(bytes: bytes, count: Int(count))
        }

        /// Returns an error, and clears the thread's queue of libcrypto errors.
        static func failure(_ sentence: String) -> CryptoError {
            ERR_clear_error()
            return CryptoError(sentence)
        }
    }
#endif

#if canImport(CLibcrypto)
    import CLibcrypto
    import Foundation

    extension Libcrypto {
        typealias Decoder = (
            UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int
        ) -> OpaquePointer?

        /// Returns an object that data encodes from end to end, else nil.
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

        /// Returns what one of libcrypto's encoders allocates; empty if there is no memory left.
        static func encoded(_ encode: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>) -> Int32) -> Data {
            var bytes: UnsafeMutablePointer<UInt8>?
            let count = encode(&bytes)
            defer { CRYPTO_free(bytes, #file, #line) }
            guard count > 0, let bytes else { return Data() }
            return Data(bytes: bytes, count: Int(count))
        }

        /// Returns an error, and empties the thread's list of libcrypto's own.
        static func failure(_ sentence: String) -> CryptoError {
            ERR_clear_error()
            return CryptoError(sentence)
        }
    }
#endif

#if !canImport(CLibcrypto)
    import Foundation

    // Placeholders for builds without libcrypto. Their property of type Never prevents their creation.

    struct Key: Sendable {
        static let isAvailable = false

        private let never: Never

        static func generated(_ kind: KeyKind) throws(CryptoError) -> Key { throw .unavailable }
        static func `private`(_ data: Data) throws(CryptoError) -> Key { throw .unavailable }
        static func `public`(_ data: Data) throws(CryptoError) -> Key { throw .unavailable }

        var kind: KeyKind { switch never {} }
        var canSign: Bool { switch never {} }
        var publicKey: Data { switch never {} }
        var privateKey: Data { switch never {} }
        func isPair(of other: Key) -> Bool { switch never {} }
    }

    struct SignatureContext: Sendable {
        private let never: Never

        init(_ key: Key, _ digest: Digest, prefix: [UInt8] = []) throws(CryptoError) { throw .unavailable }

        func sign(_ bytes: some ContiguousBytes) throws(CryptoError) -> [UInt8] { switch never {} }
        func isValid(_ signature: some ContiguousBytes, for bytes: some ContiguousBytes) -> Bool { switch never {} }
    }

    struct Certificate: Sendable {
        private let never: Never

        init(_ data: Data) throws(CryptoError) { throw .unavailable }

        var data: Data { switch never {} }
        var key: Key { switch never {} }
        var validity: Range<Date> { switch never {} }
        var subject: Data { switch never {} }
        var subjectText: String { switch never {} }
        var issuerAndSerialNumber: Data { switch never {} }
        var isAuthority: Bool { switch never {} }
        var responder: String? { switch never {} }
        var isSelfSigned: Bool { switch never {} }
        func has(_ identifier: String) -> Bool { switch never {} }
        func isTrusted(through others: [Certificate], to anchor: Certificate) -> Bool { switch never {} }
        func isRevoked(by list: RevocationList, issuer: Certificate) -> Bool? { switch never {} }
    }

    struct RevocationList: Sendable {
        private let never: Never

        init(_ data: Data) throws(CryptoError) { throw .unavailable }
    }

    struct StatusRequest {
        private let never: Never

        init?(_ data: Data) { nil }

        func isAbout(_ issuer: Certificate) -> Bool { switch never {} }
        func response(
            by key: Key,
            _ issuer: Certificate,
            validFor validity: Range<Date>,
            _ status: ([UInt8]) -> CertificateStatus
        ) throws(CryptoError) -> Data { switch never {} }
    }

    extension Digest {
        func hash(_ bytes: ArraySlice<UInt8>) -> [UInt8] { [] }
    }
#endif

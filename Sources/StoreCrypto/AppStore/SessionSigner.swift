import Foundation
import StoreCore

/// The certificates of Xcode's form for all test sessions of a process (A15).
///
/// Sessions share them, as the sessions of one Xcode do: an RSA key is generated once, and every session can verify the
/// purchases of any other.
enum SessionSigner {
    /// The authority, whose certificates are valid on every date that a session's clock can show.
    static let authority = Result { () throws(CryptoError) in
        try CertificateAuthority(now: .startOfRoots)
    }
}

// The module StoreKitTest binds both functions by their symbols, for the reason given at `makeDefaultSigner`.

/// Returns the initial signer of a test session; nil without libcrypto.
///
/// - Throws: a ``CryptoError`` if no key can be generated.
@_silgen_name("StoreCrypto_makeSessionSigner")
package func makeSessionSigner(clock: any StoreClock) throws -> (any ReceiptSigner)? {
    Libcrypto.isAvailable ? try AppStoreSigner(SessionSigner.authority.get(), clock: clock, form: .xcode) : nil
}

/// Returns the certificate in a signer's app receipts; nil for a signer of another form than Xcode's.
@_silgen_name("StoreCrypto_sessionCertificate")
package func sessionCertificate(of signer: any ReceiptSigner) -> Data? {
    (signer as? AppStoreSigner)?.xcodeReceiptCertificate
}

/// The default signer of a sandbox store: ES256 with its own root, whose keys are generated when the first JWS is read.
final class DefaultSigner: PayloadSigner {
    private let clock: any StoreClock
    /// The start of the certificates' validity: no payload is dated earlier.
    private let start: Date
    private let made = Locked<AppStoreSigner?>(nil)

    init(clock: any StoreClock, start: Date) { (self.clock, self.start) = (clock, start) }

    var environment: String { "Sandbox" }

    private var signer: AppStoreSigner {
        get throws {
            try made.withLock { made in
                if let made { return made }
                let signer = try AppStoreSigner(CertificateAuthority(now: start), clock: clock)
                made = signer
                return signer
            }
        }
    }

    func jws(of payload: Data) throws -> String { try signer.jws(of: payload) }

    func jws(of payload: Data, with defect: SignatureDefect) throws -> String {
        try signer.jws(of: payload, with: defect)
    }

    func payload(of jws: String, signingDate: (Data) -> Date?) throws -> Data {
        try signer.payload(of: jws, signingDate: signingDate)
    }

    func deviceVerification(of text: Data) -> Data? { JWSSigner.deviceVerification(of: text) }
}

/// Returns the default signer of a sandbox store of Store Kit 2; nil without libcrypto.
///
/// The module StoreKit binds the function by its symbol instead of importing this module. An importer needs the module
/// maps of all transitive imports; a target that sees StoreKit without depending on it lacks libcrypto's.
@_silgen_name("StoreCrypto_makeDefaultSigner")
package func makeDefaultSigner(clock: any StoreClock, start: Date) -> (any PayloadSigner)? {
    Libcrypto.isAvailable ? DefaultSigner(clock: clock, start: start) : nil
}

import Foundation
import StoreCore

/// The certificates of Xcode's form for all test sessions of a process (A15).
///
/// As all of one Xcode have, they have the same ones: an RSA key is made once, and what one session has sold is verified by any
/// other.
enum SessionSigner {
    /// The authority, whose certificates are valid on every date that a session's clock can show.
    static let authority = Result { () throws(CryptoError) in
        let (year1950, year10000) = (-631_152_000.0, 253_402_300_800.0)
        let start = Date(timeIntervalSince1970: year1950 + CertificateAuthority.Lifetimes.slack)
        let lifetimes = CertificateAuthority.Lifetimes(root: year10000 - start.timeIntervalSince1970)
        return try CertificateAuthority(now: start, lifetimes: lifetimes)
    }
}

// The module StoreKitTest binds both by their symbols, for the reason that `makeDefaultSigner` names.

/// Returns the signer that a test session begins with; nil without libcrypto.
///
/// - Throws: a ``CryptoError`` if no key can be made.
@_silgen_name("StoreCrypto_makeSessionSigner")
package func makeSessionSigner(clock: any StoreClock) throws -> (any ReceiptSigner)? {
    Libcrypto.isAvailable ? try AppStoreSigner(SessionSigner.authority.get(), clock: clock, form: .xcode) : nil
}

/// Returns the certificate in a signer's app receipts; nil for one of another form than Xcode's.
@_silgen_name("StoreCrypto_sessionCertificate")
package func sessionCertificate(of signer: any ReceiptSigner) -> Data? {
    (signer as? AppStoreSigner)?.xcodeReceiptCertificate
}

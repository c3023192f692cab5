import Foundation
import StoreCore
import StoreKit

// StoreCrypto's functions of these names, bound when the program is linked. Importing StoreCrypto would make libcrypto's module
// map a need of every target that imports StoreKitTest.

@_silgen_name("StoreCrypto_makeSessionSigner")
private func makeSessionSigner(clock: any StoreClock) throws -> (any ReceiptSigner)?

@_silgen_name("StoreCrypto_sessionCertificate")
private func sessionCertificate(of signer: any ReceiptSigner) -> Data?

/// The signer of a test session's receipts and JWS, in the environment `Xcode` (A8).
enum SessionSigner {
    /// Returns a signer for a store on a clock: where libcrypto is installed in Xcode's form, whose one certificate is
    /// self-signed (A15), else with HMAC.
    ///
    /// - Throws: the error if no key can be made.
    static func signer(clock: any StoreClock) throws -> any ReceiptSigner {
        try makeSessionSigner(clock: clock) ?? HMACReceiptSigner(environment: AppStore.Environment.xcode.rawValue)
    }

    /// Returns the certificate in a signer's app receipts; nil for one of another form than Xcode's.
    static func certificate(of signer: any ReceiptSigner) -> Data? { sessionCertificate(of: signer) }
}

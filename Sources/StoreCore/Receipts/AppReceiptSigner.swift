import Foundation

/// A signer that seals app receipts in a form of its own, such as the App Store's PKCS #7 with a chain of certificates.
///
/// `AppStoreSigner`, in the module StoreCrypto, is one. A store whose signer is only a ``ReceiptSigner`` issues app receipts
/// in the HMAC form of ``AppReceipt``.
public protocol AppReceiptSigner: ReceiptSigner {
    /// The environment's name in attribute 0 of app receipts, constant: `ProductionSandbox`, `Production`, `Xcode`.
    var appReceiptEnvironment: String { get }

    /// Returns the hash that ties a receipt to a device: SHA-1 at the App Store.
    ///
    /// - Parameter bytes: the device's identifier, the opaque value and the encoded bundle identifier, in that order.
    /// - Returns: the hash.
    func deviceHash(of bytes: Data) -> Data

    /// Seals a payload.
    ///
    /// - Parameter payload: a set of attributes in DER, in the order of their bytes.
    /// - Returns: the receipt.
    /// - Throws: the error that keeps it from signing; no receipt is made then.
    func seal(_ payload: Data) throws -> Data

    /// Verifies a receipt's signature and certificates.
    ///
    /// - Parameters:
    ///   - receipt: untrusted input, of any content and length.
    ///   - creationDate: reads the date from a payload as of which the certificates must be valid; nil if there is none.
    /// - Returns: the payload.
    /// - Throws: the reason for the refusal, whose description is one sentence without anything from the receipt.
    func open(_ receipt: Data, creationDate: (Data) -> Date?) throws -> Data
}

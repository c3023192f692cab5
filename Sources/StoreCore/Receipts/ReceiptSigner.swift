import Foundation

/// A signer of receipts, which also verifies its own signatures.
///
/// It separates a receipt's content from its authentication. ``HMACReceiptSigner`` is built in. A signer with a
/// certificate conforms too: it returns its ``certificate``, which then travels with every receipt, and may accept
/// other certificates in ``isValid(signature:certificate:for:)``.
///
/// Any thread may call any member at any time; each answers before it returns.
public protocol ReceiptSigner: Sendable {
    /// The environment's name in receipts, constant: `Sandbox`, `LocalTesting`, … `Production` is special: its receipts
    /// leave the name out.
    var environment: String { get }

    /// The first byte of a signature blob, constant, which determines the form of the rest. Apple's numbers are 2 (RSA
    /// with 1024 bits) and 3 (2048 bits); use another for any other signature.
    var signatureVersion: UInt8 { get }

    /// The number of bytes of every signature, constant.
    var signatureLength: Int { get }

    /// The certificate that travels with each signature, DER; empty by default, for signers that need none.
    var certificate: Data { get }

    /// Signs a message.
    ///
    /// - Parameter message: For a transaction's receipt the version byte, then the purchase information; for an app
    ///   receipt the attributes in its payload, without the tag and the length of the set. No message is both, unless
    ///   the version byte is 0x30.
    /// - Returns: ``signatureLength`` bytes.
    /// - Throws: The error that keeps it from signing; no receipt is made then.
    func sign(_ message: Data) throws -> Data

    /// Returns whether a signature over a message was made with this signer's key.
    ///
    /// Both are untrusted input, of any content and length; the check takes the same time wherever they differ.
    func isValid(signature: Data, for message: Data) -> Bool

    /// Returns whether a signature over a message was made with the key of a certificate that this signer trusts.
    ///
    /// The default trusts ``certificate`` alone.
    func isValid(signature: Data, certificate: Data, for message: Data) -> Bool
}

extension ReceiptSigner {
    /// An empty certificate, for signers that need none.
    public var certificate: Data { Data() }

    /// Returns whether a signature is of this signer's own certificate and key.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        certificate == self.certificate && isValid(signature: signature, for: message)
    }
}

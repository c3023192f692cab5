import Foundation

/// Signs receipts, and tells its own signatures from others: the seam between what a receipt says and who vouches for it.
///
/// ``HMACReceiptSigner`` is the one in the box. One that signs with a certificate fits in here too: it names its
/// ``certificate``, which then travels with every receipt, and may accept certificates other than its own in
/// ``isValid(signature:certificate:for:)``.
///
/// Any thread may call any member at any time; each answers before it returns.
public protocol ReceiptSigner: Sendable {
    /// Which store vouches, as receipts name it: `Sandbox`, `LocalTesting`, … `Production` is special: its receipts
    /// leave the name out. Does not change.
    var environment: String { get }

    /// The first byte of a signature blob, which says what is in the rest. Apple's numbers are 2 (RSA with 1024 bits)
    /// and 3 (2048 bits); take another for anything else. Does not change.
    var signatureVersion: UInt8 { get }

    /// How many bytes every signature has. Does not change.
    var signatureLength: Int { get }

    /// The certificate that goes along with each signature, DER; empty by default, for signers that need none.
    var certificate: Data { get }

    /// Signs a message.
    ///
    /// - Parameter message: For a transaction's receipt the version byte, then the purchase information; for an app
    ///   receipt the attributes in its payload, without the tag and the length of the set. No message is both, unless the version byte is 0x30.
    /// - Returns: ``signatureLength`` bytes.
    /// - Throws: What keeps it from signing; no receipt is made then.
    func sign(_ message: Data) throws -> Data

    /// Whether a signature over a message was made with this signer's key.
    ///
    /// Both come from outside and may be anything, of any length; takes the same time wherever they differ.
    func isValid(signature: Data, for message: Data) -> Bool

    /// Whether a signature over a message was made with the key of a certificate that this signer trusts.
    ///
    /// The default trusts ``certificate`` alone.
    func isValid(signature: Data, certificate: Data, for message: Data) -> Bool
}

extension ReceiptSigner {
    /// No certificate goes along.
    public var certificate: Data { Data() }

    /// Accepts only signatures of this signer's own certificate and key.
    public func isValid(signature: Data, certificate: Data, for message: Data) -> Bool {
        certificate == self.certificate && isValid(signature: signature, for: message)
    }
}

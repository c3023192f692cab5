import Foundation
import StoreCore

/// A verifier of the signatures in transaction receipts from 2009 to 2013, without a network.
///
/// A receipt with a single changed bit is refused. A verifier may be used on any thread.
package struct TransactionReceiptVerifier: Sendable {
    private let chains: ChainVerifier

    /// Creates a verifier.
    ///
    /// - Parameter root: the certificate to trust, in DER: the one that issued the receipts' certificate.
    /// - Throws: a ``CryptoError`` if the certificate is unreadable.
    package init(root: Data) throws(CryptoError) { chains = try ChainVerifier(.transactionReceipt, anchor: root) }

    /// Verifies a signature as of a date.
    ///
    /// - Parameters:
    ///   - blob: the receipt's `signature`, decoded from Base64: version, signature, the certificate's length and the
    ///     certificate. Untrusted input, of any content and length.
    ///   - purchaseInformation: the receipt's `purchase-info`, decoded from Base64.
    ///   - date: the signing date, at which both certificates have to be valid.
    /// - Throws: the reason for the refusal.
    package func verify(_ blob: Data, over purchaseInformation: Data, asOf date: Date) throws(VerificationFailure) {
        try chain(blob, over: purchaseInformation).requireValidity(at: date)
    }

    /// Verifies a signature as of the purchase date, the earliest possible date of the signature.
    ///
    /// A receipt does not contain its signing date, since a store signs a receipt whenever it is read. So a certificate
    /// that was issued after the purchase is accepted, and one that had expired before the purchase is not.
    ///
    /// - Parameters:
    ///   - blob: the receipt's `signature`, decoded from Base64. Untrusted input, of any content and length.
    ///   - purchaseInformation: the receipt's `purchase-info`, decoded from Base64.
    /// - Throws: the reason for the refusal.
    package func verify(_ blob: Data, over purchaseInformation: Data) throws(VerificationFailure) {
        let chain = try chain(blob, over: purchaseInformation)
        try chain.requireValidity(since: try Self.purchaseDate(of: purchaseInformation))
    }

    /// Verifies a signature over a message as of the purchase date.
    ///
    /// The message is the version byte, followed by the purchase information.
    func verifySincePurchase(_ signature: Data, certificate: Data, over message: Data) throws(VerificationFailure) {
        let chain = try verify(signature, certificate: certificate, over: message)
        try chain.requireValidity(since: try Self.purchaseDate(of: Data(message.dropFirst())))
    }

    private static func purchaseDate(of purchaseInformation: Data) throws(VerificationFailure) -> Date {
        guard let content = ReceiptVerification(purchaseInformation: purchaseInformation, at: .distantPast) else {
            throw .foreignContent
        }
        guard let text = content.fields["purchase_date_ms"], let milliseconds = Int64(text) else {
            throw .noSigningDate
        }
        return Date(timeIntervalSince1970: Double(milliseconds) / 1000)
    }

    private func chain(_ blob: Data, over purchaseInformation: Data) throws(VerificationFailure) -> VerifiedChain {
        let bytes = [UInt8](blob)
        guard let version = bytes.first.flatMap(TransactionReceiptSigner.Version.init) else { throw .malformed }
        let end = 1 + version.signatureLength
        guard bytes.count >= end + 4,
            bytes[end..<(end + 4)].reduce(0, { $0 << 8 | Int($1) }) == bytes.count - end - 4
        else { throw .malformed }
        return try verify(
            Data(bytes[1..<end]),
            certificate: Data(bytes[(end + 4)...]),
            over: Data([version.rawValue]) + purchaseInformation
        )
    }

    /// Verifies a signature and its certificate, but no dates.
    @discardableResult
    func verify(_ signature: Data, certificate: Data, over message: Data) throws(VerificationFailure) -> VerifiedChain {
        let chain = try chains.verified([certificate])
        guard case .rsa = chain.leaf.key.kind, let context = try? SignatureContext(chain.leaf.key, .sha1) else {
            throw .wrongAlgorithm
        }
        guard context.isValid(signature, for: message) else { throw .wrongSignature }
        return chain
    }
}

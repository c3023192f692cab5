import Foundation
import StoreCore

/// A signer with a leaf of its own.
protocol LeafSigner: Sendable {
    /// The dates at which all of its certificates are valid.
    var validity: Range<Date> { get }
}

extension JWSSigner: LeafSigner {}
extension PKCS7Signer: LeafSigner {}
extension TransactionReceiptSigner: LeafSigner {}

/// A signer that is made when it is first needed, and again when its leaf is not valid any more.
final class LeafCache<Signer: LeafSigner>: Sendable {
    private let make: @Sendable (Date) throws -> Signer
    private let current = Locked<Signer?>(nil)

    init(_ make: @escaping @Sendable (Date) throws -> Signer) { self.make = make }

    /// Returns a signer for a signing date.
    func signer(at date: Date) throws -> Signer {
        // Made with the lock held, so that an RSA key is made once.
        try current.withLock { current in
            if let current, current.validity.contains(date) { return current }
            let signer = try make(date)
            current = signer
            return signer
        }
    }
}

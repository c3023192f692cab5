import Foundation

/// Says whether a receipt can be trusted, and what it lists.
public protocol ReceiptValidator {
    /// Answers once, on any thread.
    func validate(_ receipt: Data, completion: @escaping (Result<InAppReceipt, Error>) -> Void)
}

/// Reads the receipt in the app itself.
///
/// It does not look at the signature, for which an app would bring a cryptographic library.
public struct LocalReceiptValidator: ReceiptValidator {
    private let bundleIdentifier: String

    /// Makes a validator for receipts of one app.
    public init(bundleIdentifier: String) { self.bundleIdentifier = bundleIdentifier }

    /// Answers at once.
    public func validate(_ receipt: Data, completion: @escaping (Result<InAppReceipt, Error>) -> Void) {
        completion(
            Result {
                let receipt = try InAppReceipt(receipt)
                guard receipt.bundleIdentifier == bundleIdentifier else { throw ReceiptError.ofAnotherApp }
                return receipt
            }
        )
    }
}

/// What is wrong with a receipt.
public enum ReceiptError: Error {
    /// It is no receipt.
    case malformed
    /// It was copied from another app.
    case ofAnotherApp
}

import Foundation
import StoreCore

extension Figure {
    static let receiptSign = Figure(
        name: "receipt.sign",
        summary: "one transaction's receipt, written and signed",
        unit: "ns",
        limit: 1.9,
        dream: 1.1
    ) {
        let parts = try ReceiptParts()
        return Cases(
            floor: { try sample { parts.authenticate() } },
            value: { try sample { try parts.receipt.data(signedBy: parts.signer).count } }
        )
    }

    static let receiptVerify = Figure(
        name: "receipt.verify",
        summary: "one transaction's receipt, verified and read",
        unit: "ns",
        limit: 1.9,
        dream: 1.1
    ) {
        let parts = try ReceiptParts()
        let data = try parts.receipt.data(signedBy: parts.signer)
        return Cases(
            floor: { try sample { parts.authenticate() } },
            value: { try sample { parts.verify(data) } }
        )
    }

    private static let count = 2_000

    private static func sample(_ work: () throws -> Int) throws -> Sample {
        try .nanoseconds(each: count, "receipts were good") { try (0..<count).count { _ in try work() > 0 } }
    }
}

/// A receipt as a sandbox store makes it for a period of a subscription, and the bytes that its signature is over.
final class ReceiptParts: Sendable {
    let receipt: TransactionReceipt
    let signer = HMACReceiptSigner(key: Data(repeating: 7, count: 32))
    private let message: Data

    init() throws {
        let moment = Date(timeIntervalSince1970: 1_735_722_000.123)
        receipt = TransactionReceipt(
            productIdentifier: "com.example.pro.monthly",
            transactionIdentifier: "1000000123456789",
            originalTransactionIdentifier: "1000000123456700",
            purchaseDate: moment,
            originalPurchaseDate: moment - 86_400,
            bundleIdentifier: "com.example.app",
            bundleVersion: "1.0",
            subscription: TransactionReceipt.Subscription(expirationDate: moment + 31 * 86_400)
        )
        let listener = Listener(signer)
        _ = try receipt.data(signedBy: listener)
        message = listener.message
    }

    /// Runs the floor: nothing but the code's own authentication of those bytes.
    func authenticate() -> Int { signer.sign(message).count }

    /// Verifies a receipt of these parts, and returns the number of its fields.
    func verify(_ data: Data) -> Int {
        let verification = ReceiptVerification(of: data, signer: signer, at: receipt.purchaseDate)
        return verification.status == .valid ? verification.fields.count : 0
    }

    /// A signer that records the bytes to sign.
    private final class Listener: ReceiptSigner, @unchecked Sendable {  // unchecked: used by one thread
        private let signer: HMACReceiptSigner
        private(set) var message = Data()

        init(_ signer: HMACReceiptSigner) { self.signer = signer }

        var environment: String { signer.environment }
        var signatureVersion: UInt8 { signer.signatureVersion }
        var signatureLength: Int { signer.signatureLength }

        func sign(_ message: Data) throws -> Data {
            self.message = message
            return signer.sign(message)
        }

        func isValid(signature: Data, for message: Data) -> Bool { signer.isValid(signature: signature, for: message) }
    }
}

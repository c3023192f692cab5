/// The reason why a store refuses a receipt: a status and a sentence.
public struct ReceiptRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status; never ``ReceiptVerification/Status/valid``.
    public let status: ReceiptVerification.Status
    /// One sentence that names the cause, without anything from the receipt.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ status: ReceiptVerification.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// Creates the refusal of a receipt that a signer did not open, with the signer's own sentence.
    ///
    /// An error without a status of its own says that the receipt is not authentic.
    init(_ error: any Error) {
        self.init((error as? any ReceiptRefusalReason)?.status ?? .notAuthentic, "\(error)")
    }

    /// The refusal of signed data with another content.
    static let notAnAppReceipt = ReceiptRefusal(.malformed, "The store signed this, but it is not an app receipt.")

    /// Creates the refusal of a receipt whose environment is not the verifier's.
    init(environment: String, judgedIn own: String) {
        switch ReceiptEnvelope.production {
        case own: self.init(.sandboxReceiptInProduction, "The receipt comes from a test, this store is production.")
        case environment:
            self.init(.productionReceiptInSandbox, "The receipt comes from production, this store is a test.")
        default: self.init(.notAuthentic, "The receipt comes from another environment than this store's.")
        }
    }

    /// The status and the sentence.
    public var description: String { "\(status.rawValue): \(reason)" }
}

extension ReceiptRefusal: SignatureRefusal {
    package var defect: SignatureDefect { status == .malformed ? .invalidEncoding : .invalidSignature }
}

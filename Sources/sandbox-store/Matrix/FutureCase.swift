/// A value that a server may not know yet, or that it must not trust.
struct FutureCase {
    /// The kinds of cases, which are the parts of the table.
    enum Part: String, CaseIterable {
        case notification = "Notifications"
        case transaction = "Transactions as JWS"
        case jwsCertificates = "Certificates of a JWS"
        case receiptCertificates = "Certificates of an app receipt"

        var form: MatrixForm {
            switch self {
            case .notification: .notification
            case .transaction, .jwsCertificates: .jws
            case .receiptCertificates: .appReceipt
            }
        }
    }

    /// The right outcome.
    enum Expectation: String {
        case accepted, refused
        /// Accepted or refused, which is for the server to decide.
        case either
    }

    let part: Part
    let name: String
    let value: String
    let expectation: Expectation
    /// The purchase that the value shows; nil if it shows none.
    let purchase: MatrixPurchase?

    /// Returns whether a reply with its differences is right.
    func isMet(by reply: MatrixReply, _ differences: [String]) -> Bool {
        switch expectation {
        case .accepted: reply.outcome == .accepted && differences.isEmpty
        case .refused: reply.outcome == .refused
        case .either: reply.outcome != .crashed && differences.isEmpty
        }
    }
}

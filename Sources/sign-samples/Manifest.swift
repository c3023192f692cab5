import Foundation

/// The list of the samples in a folder.
struct Manifest: Codable {
    /// A file and what is true of it.
    struct Sample: Codable {
        let file: String
        let form: Form
        /// What is wrong with the chain of certificates; nil if nothing is.
        var defect: String?
        /// The certificate to trust, a file in PEM.
        var root = "root.pem"
        /// The certificates in the sample, files in DER, the leaf first.
        var certificates: [String]
        /// What was signed, a file.
        let content: String
        /// The transaction that a reader should find.
        var transactionId: String?
    }

    enum Form: String, Codable {
        case transaction, renewal, appTransaction, xcodeTransaction
        case appReceipt, xcodeAppReceipt
        case transactionReceipt
    }

    let bundleId: String
    /// The signing date, in seconds since 1970.
    let date: Int
    /// A file in DER.
    let revocationList: String
    var samples: [Sample] = []
}

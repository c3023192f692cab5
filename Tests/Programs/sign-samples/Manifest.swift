/// The list of the samples in a folder.
struct Manifest: Codable {
    /// A file and what is true of it.
    struct Sample: Codable {
        let file: String
        let form: Form
        /// The hash algorithm of receipts, with which their versions go; nil for JWS, which has one.
        let digest: String?
        /// Whether it is in Xcode's form, with one certificate.
        let isXcode: Bool
        /// Whether it names production, the environment in which Apple's library wants the app's Apple ID.
        let isProduction: Bool
        /// What is wrong with the chain of certificates; nil if nothing is.
        let defect: String?
        /// What was signed, a file; nil for a transaction receipt.
        let content: String?
        /// The transaction that a reader of a receipt should find; nil for JWS.
        let transactionId: String?
    }

    enum Form: String, Codable {
        case transaction, renewal, appTransaction, appReceipt, transactionReceipt
    }

    let bundleId: String
    let appAppleId: Int64
    /// The signing date, in seconds since 1970.
    let date: Int
    /// A file in DER.
    let revocationList: String
    var samples: [Sample] = []
}

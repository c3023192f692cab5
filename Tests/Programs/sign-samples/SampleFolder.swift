import Foundation
import StoreCore
import StoreCrypto

/// A folder of signed samples.
struct SampleFolder {
    private let folder: URL
    private let date: Date
    private let authority: CertificateAuthority
    private var manifest: Manifest

    /// How a store signs.
    private struct Signing {
        var environment = AppStoreSigner.Environment.sandbox
        var form = SigningForm.appStore
        var digest = ReceiptDigest.sha256
        var defect: CertificateAuthority.Defect?

        /// Whether a transaction receipt, with its one certificate, can be in the form and have the defect.
        var suitsTransactionReceipts: Bool {
            switch defect {
            case nil, .expiredLeaf, .missingLeafMarker, .foreignRoot, .wrongKey: form == .appStore
            case .missingIntermediateMarker, .chainOfOne, .chainOfFour, .revoked: false
            }
        }
    }

    init(_ folder: URL, at date: Date) throws {
        (self.folder, self.date) = (folder, date)
        authority = try CertificateAuthority(now: date)
        manifest = Manifest(
            bundleId: SampleStore.bundleIdentifier,
            appAppleId: SampleStore.appAppleIdentifier,
            date: Int(date.timeIntervalSince1970),
            revocationList: "revoked.crl"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(Data(authority.rootPEM.utf8), "root.pem")
        try write(authority.revocationList(at: date), manifest.revocationList)
    }

    /// Adds what stores issue: with either digest and each defect, from production, and in Xcode's form.
    mutating func addSamples() throws {
        for digest in ReceiptDigest.allCases {
            // A signer does not open what has its defect, but what it seals is the same.
            let content = try store(Signing(digest: digest)).appReceiptContent()
            for defect in [nil] + CertificateAuthority.Defect.allCases {
                try add(Signing(digest: digest, defect: defect), content)
            }
        }
        for signing in [Signing(environment: .production), Signing(form: .xcode)] {
            try add(signing, store(signing).appReceiptContent())
        }
    }

    private func store(_ signing: Signing) throws -> SampleStore {
        try SampleStore(at: date) { clock in
            try AppStoreSigner(
                authority,
                clock: clock,
                environment: signing.environment,
                digest: signing.digest,
                form: signing.form,
                transactionReceiptVersion: signing.digest == .sha1 ? .rsa1024 : .rsa2048,
                defect: signing.defect
            )
        }
    }

    private mutating func add(_ signing: Signing, _ content: (attributes: Data, transaction: String)) throws {
        let store = try store(signing)
        try add(
            store.appReceipt(),
            "\(signing.digest).p7",
            .appReceipt,
            signing,
            content.attributes,
            content.transaction
        )
        if signing.suitsTransactionReceipts {
            for (transaction, receipt) in try store.transactionReceipts() {
                try add(receipt, "\(signing.digest).plist", .transactionReceipt, signing, nil, transaction)
            }
        }
        // JWS has no older form.
        guard signing.digest == .sha256 else { return }
        for transaction in try store.transactions() { try add(transaction, .transaction, signing) }
        for subscription in try store.subscriptions() { try add(subscription.renewal, .renewal, signing) }
        for purchase in try store.appTransactions() { try add(purchase, .appTransaction, signing) }
    }

    private mutating func add<Payload>(
        _ value: SignedValue<Payload>,
        _ form: Manifest.Form,
        _ signing: Signing
    ) throws {
        try add(Data(value.jws.utf8), "jws", form, signing, value.payload.json, nil)
    }

    private mutating func add(
        _ data: Data,
        _ suffix: String,
        _ form: Manifest.Form,
        _ signing: Signing,
        _ content: Data?,
        _ transaction: String?
    ) throws {
        let isXcode = signing.form == .xcode
        let isProduction = signing.environment == .production
        let qualities = [isXcode ? "xcode" : nil, isProduction ? "production" : nil, signing.defect?.rawValue]
            .compactMap { $0.map { "-\($0)" } }
        let name = "\(form)-\(manifest.samples.count)\(qualities.joined()).\(suffix)"
        try write(data, name)
        if let content { try write(content, "\(name).content") }
        manifest.samples.append(
            Manifest.Sample(
                file: name,
                form: form,
                digest: suffix == "jws" ? nil : "\(signing.digest)",
                isXcode: isXcode,
                isProduction: isProduction,
                defect: signing.defect?.rawValue,
                content: content.map { _ in "\(name).content" },
                transactionId: transaction
            )
        )
    }

    func writeManifest() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try write(encoder.encode(manifest), "manifest.json")
    }

    private func write(_ data: Data, _ name: String) throws { try data.write(to: folder.appending(path: name)) }
}

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

import Foundation
import StoreCore
import StoreCrypto

/// A folder of signed samples.
struct SampleFolder {
    private let folder: URL
    private let date: Date
    private let authority: CertificateAuthority
    private let payloads: Payloads
    private var manifest: Manifest

    /// No defect, then each.
    private static let defects = [CertificateAuthority.Defect?.none] + CertificateAuthority.Defect.allCases

    init(_ folder: URL, at date: Date) throws {
        (self.folder, self.date) = (folder, date)
        authority = try CertificateAuthority(now: date)
        payloads = Payloads(date: date)
        manifest = Manifest(
            bundleId: Payloads.bundleIdentifier,
            date: Int(date.timeIntervalSince1970),
            revocationList: "revoked.crl"
        )
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try write(Data(authority.rootPEM.utf8), "root.pem")
        try write(authority.revocationList(at: date), manifest.revocationList)
    }

    /// Adds JWS: each payload, and one transaction, the renewal and the app transaction with each defect.
    mutating func addPayloads() throws {
        let transactions = try payloads.transactions()
        for payload in transactions { try addJWS(payload, .transaction) }
        for defect in Self.defects {
            if defect != nil { try addJWS(transactions[3], .transaction, defect) }
            try addJWS(payloads.renewal(), .renewal, defect)
            try addJWS(payloads.appTransaction(), .appTransaction, defect)
        }
        let signer = try authority.jwsSigner(at: date, form: .xcode)
        let xcode = try payloads.transactions(environment: "Xcode")[3]
        try writeRoot(signer.certificates[0], "xcode-jws.pem")
        try add(
            "xcode-transaction.jws",
            Data(signer.sign(xcode.json).utf8),
            .xcodeTransaction,
            root: "xcode-jws.pem",
            signer.certificates,
            content: xcode.json,
            xcode.transactionIdentifier
        )
    }

    private mutating func addJWS(
        _ payload: Payloads.Payload,
        _ form: Manifest.Form,
        _ defect: CertificateAuthority.Defect? = nil
    ) throws {
        let signer = try authority.jwsSigner(at: date, defect: defect)
        try add(
            Self.name(payload.name, defect) + ".jws",
            Data(signer.sign(payload.json).utf8),
            form,
            defect,
            signer.certificates,
            content: payload.json,
            payload.transactionIdentifier
        )
    }

    /// Adds app receipts of both digests with each defect, and Xcode's.
    mutating func addAppReceipts() throws {
        let (attributes, transaction) = try payloads.appReceipt()
        for digest in PKCS7Signer.Digest.allCases {
            for defect in Self.defects {
                let signer = try authority.pkcs7Signer(at: date, digest: digest, defect: defect)
                try add(
                    Self.name("app-receipt-\(digest)", defect) + ".p7",
                    signer.sign(attributes),
                    .appReceipt,
                    defect,
                    signer.certificates,
                    content: attributes,
                    transaction
                )
            }
        }
        let signer = try authority.pkcs7Signer(at: date, form: .xcode)
        try writeRoot(signer.certificates[0], "xcode-receipt.pem")
        try add(
            "xcode-app-receipt.p7",
            signer.sign(attributes),
            .xcodeAppReceipt,
            root: "xcode-receipt.pem",
            signer.certificates,
            content: attributes,
            transaction
        )
    }

    /// Adds transaction receipts of both versions, and one with each defect that they can have.
    mutating func addTransactionReceipts() throws {
        let receipts = payloads.transactionReceipts()
        for version in TransactionReceiptSigner.Version.allCases {
            for (number, receipt) in receipts.enumerated() {
                try addReceipt(receipt, version, number: number)
            }
            for defect in [CertificateAuthority.Defect.expiredLeaf, .missingLeafMarker, .foreignRoot, .wrongKey] {
                try addReceipt(receipts[0], version, number: 0, defect)
            }
        }
    }

    private mutating func addReceipt(
        _ receipt: TransactionReceipt,
        _ version: TransactionReceiptSigner.Version,
        number: Int,
        _ defect: CertificateAuthority.Defect? = nil
    ) throws {
        let signer = try authority.transactionReceiptSigner(at: date, version: version, defect: defect)
        try add(
            Self.name("transaction-receipt-\(version.rawValue)-\(number)", defect) + ".plist",
            receipt.data(signedBy: signer),
            .transactionReceipt,
            defect,
            [signer.certificate],
            content: Data(),
            receipt.transactionIdentifier
        )
    }

    func writeManifest() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        try write(encoder.encode(manifest), "manifest.json")
    }
}

// MARK: - Files

extension SampleFolder {
    private static func name(_ name: String, _ defect: CertificateAuthority.Defect?) -> String {
        defect.map { "\(name)-\($0)" } ?? name
    }

    private mutating func add(
        _ name: String,
        _ data: Data,
        _ form: Manifest.Form,
        _ defect: CertificateAuthority.Defect? = nil,
        root: String = "root.pem",
        _ certificates: [Data],
        content: Data,
        _ transaction: String?
    ) throws {
        try write(data, name)
        try write(content, "\(name).content")
        let names = certificates.indices.map { "\(name).\($0).cer" }
        for (certificate, file) in zip(certificates, names) { try write(certificate, file) }
        manifest.samples.append(
            Manifest.Sample(
                file: name,
                form: form,
                defect: defect?.rawValue,
                root: root,
                certificates: names,
                content: "\(name).content",
                transactionId: transaction
            )
        )
    }

    private func write(_ data: Data, _ name: String) throws { try data.write(to: folder.appending(path: name)) }

    private func writeRoot(_ certificate: Data, _ name: String) throws {
        let body = certificate.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
        try write(Data("-----BEGIN CERTIFICATE-----\n\(body)\n-----END CERTIFICATE-----\n".utf8), name)
    }
}

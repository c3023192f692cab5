import Foundation
import StoreCore
import StoreCrypto

/// A report on the verification of a receipt or a JWS.
struct ReceiptReport {
    /// Whether the receipt is valid.
    let isValid: Bool
    /// The JSON of a server's response, or of the JWS's payload, followed by a line break.
    let json: String
    private let lines: [String]

    /// Verifies a transaction receipt, an app receipt or a JWS with a key.
    ///
    /// - Parameters:
    ///   - file: the receipt, which may be in Base64, or a JWS. White space in Base64 and after a JWS is ignored.
    ///   - key: the store's key.
    ///   - now: the date for which it is determined whether a subscription is over.
    init(_ file: Data, key: Data, at now: Date) {
        let signer = HMACReceiptSigner(key: key)
        self.init {
            if let jws = Self.jws(of: file) {
                // Ignores dates, which matter only for certificates, and HMAC has none.
                let payload = try signer.payload(of: String(decoding: jws, as: UTF8.self)) { _ in nil }
                guard let subject = AppStoreVerifier.Subject(ofPayload: payload) else {
                    throw VerificationFailure.foreignContent
                }
                return Self(subject, payload: payload, by: "store")
            }
            let receipt = Self.bytes(of: file)
            // An app receipt in DER begins with a sequence; a transaction receipt is a property list and begins with a
            // brace.
            guard receipt.first == 0x30 else {
                return Self(ReceiptVerification(of: receipt, signer: signer, at: now), by: "store")
            }
            let content = try AppReceipt(verifying: receipt, signer: signer)
            let json = try content.json(environment: signer.environment, requestedAt: now)
            return Self("The store vouches for this app receipt.", json, Self.fields(of: content))
        }
    }

    /// Verifies a transaction receipt, an app receipt or a JWS with a root certificate.
    ///
    /// - Parameters:
    ///   - file: the receipt, which may be in Base64, or a JWS. White space in Base64 and after a JWS is ignored.
    ///   - verifier: the verifier of signatures that the root certificate authorizes.
    ///   - now: the date for which it is determined whether a subscription is over.
    init(_ file: Data, verifier: AppStoreVerifier, at now: Date) {
        self.init {
            switch try verifier.verify(Self.jws(of: file) ?? Self.bytes(of: file), at: now) {
            case .transactionReceipt(let response, let environment):
                let fields = ["environment": "\(environment) (no signature covers it)"]
                return Self(response, by: "root", fields)
            case .appReceipt(let receipt, let environment):
                let name = environment == "ProductionSandbox" ? "Sandbox" : environment
                let fields = Self.fields(of: receipt).merging(["environment": name]) { $1 }
                let json = try receipt.json(environment: name, requestedAt: now)
                return Self("The root vouches for this app receipt.", json, fields)
            case .jws(let subject, let payload): return Self(subject, payload: payload, by: "root")
            }
        }
    }

    /// Creates the report that `verify` returns, or a report on the error that it throws.
    private init(_ verify: () throws -> Self) {
        do {
            self = try verify()
        } catch {
            let (status, sentence) = Self.refusal(error)
            self.init(status, sentence, Data("{\"status\":\(status.rawValue)}".utf8), [:])
        }
    }

    private init(_ sentence: String, _ json: Data, _ fields: [String: String]) {
        self.init(.valid, sentence, json, fields)
    }

    private init(_ response: ReceiptVerification, by whom: String, _ fields: [String: String] = [:]) {
        let sentence = response.reason ?? "The \(whom) vouches for this receipt."
        let fields = response.fields.isEmpty ? [:] : fields.merging(response.fields) { $1 }
        self.init(response.status, sentence, response.json, fields)
    }

    private init(_ subject: AppStoreVerifier.Subject, payload: Data, by whom: String) {
        self.init("The \(whom) vouches for this \(Self.name(of: subject)).", payload, Self.fields(ofPayload: payload))
    }

    private init(_ status: ReceiptVerification.Status, _ sentence: String, _ json: Data, _ fields: [String: String]) {
        isValid = status == .valid
        self.json = String(decoding: json, as: UTF8.self) + "\n"
        lines =
            ["status \(status.rawValue)", sentence]
            + fields.sorted { $0.key < $1.key }.map { "\(Self.printable($0.key)): \(Self.printable($0.value))" }
    }

    private static func refusal(_ error: any Error) -> (ReceiptVerification.Status, String) {
        switch error {
        case let refusal as ReceiptRefusal: (refusal.status, refusal.reason)
        case let failure as VerificationFailure: (failure.status, failure.description)
        // For a receipt with a date that a response cannot contain.
        default: (.malformed, "\(error)")
        }
    }

    /// The lines of the report, each followed by a line break.
    var text: String { lines.map { "\($0)\n" }.joined() }

    /// Returns the content of a file, decoded if it consists of Base64 and white space.
    ///
    /// No receipt consists of these.
    private static func bytes(of file: Data) -> Data {
        let whiteSpace = Set(" \t\r\n".utf8)
        return Data(base64Encoded: Data(file.filter { !whiteSpace.contains($0) })) ?? file
    }

    /// Returns a JWS without white space after it; nil for any other file.
    ///
    /// A JWS begins with a brace in Base64.
    private static func jws(of file: Data) -> Data? {
        guard file.starts(with: "ey".utf8), file.contains(UInt8(ascii: ".")),
            let text = String(validating: file, as: UTF8.self)
        else { return nil }
        return Data(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    /// Returns an untrusted name or value, in one line and without control characters.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.contains(where: \.isControl) else { return text }
        return "\"\(scalars.map { $0.escaped(asASCII: $0.isASCII || $0.isControl) }.joined())\""
    }

    private static func name(of subject: AppStoreVerifier.Subject) -> String {
        switch subject {
        case .transaction: "transaction"
        case .renewalInfo: "renewal information"
        case .appTransaction: "app transaction"
        case .notification: "notification"
        }
    }

    /// Returns the fields of a JSON object.
    ///
    /// Values other than strings are written as JSON.
    private static func fields(ofPayload payload: Data) -> [String: String] {
        let object = try? UntrustedJSON.object(from: payload) as? [String: Any]
        return (object ?? [:]).mapValues { value in
            if let text = value as? String { return text }
            let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys, .withoutEscapingSlashes]
            let json = try? JSONSerialization.data(withJSONObject: value, options: options)
            return String(decoding: json ?? Data(), as: UTF8.self)
        }
    }

    private static func fields(of receipt: AppReceipt) -> [String: String] {
        var fields = [
            "bundle_id": receipt.bundleIdentifier,
            "application_version": receipt.bundleVersion,
            "original_application_version": receipt.originalBundleVersion,
            "receipt_creation_date": Wording.moment(receipt.creationDate),
            "original_purchase_date": Wording.moment(receipt.originalPurchaseDate),
        ]
        fields["expiration_date"] = receipt.expirationDate.map(Wording.moment)
        fields["revocation_date"] = receipt.revocationDate.map(Wording.moment)
        fields["adam_id"] = receipt.appAppleIdentifier.map { String($0) }
        fields["volume_purchase"] = receipt.isVolumePurchase ? "true" : nil
        let width = String(receipt.purchases.count).count
        for (index, purchase) in receipt.purchases.sorted(by: { $0.purchaseDate < $1.purchaseDate }).enumerated() {
            let number = String(index + 1)
            let name = "in_app[\(String(repeating: "0", count: width - number.count))\(number)]"
            fields["\(name).quantity"] = String(purchase.quantity)
            fields["\(name).product_id"] = purchase.productIdentifier
            fields["\(name).transaction_id"] = purchase.transactionIdentifier
            fields["\(name).original_transaction_id"] = purchase.originalTransactionIdentifier
            fields["\(name).purchase_date"] = Wording.moment(purchase.purchaseDate)
            fields["\(name).original_purchase_date"] = Wording.moment(purchase.originalPurchaseDate)
            fields["\(name).cancellation_date"] = purchase.cancellationDate.map(Wording.moment)
            guard let subscription = purchase.subscription else { continue }
            fields["\(name).expires_date"] = Wording.moment(subscription.expirationDate)
            fields["\(name).web_order_line_item_id"] = subscription.webOrderLineItemIdentifier
            fields["\(name).is_trial_period"] = String(subscription.isTrialPeriod)
            fields["\(name).is_in_intro_offer_period"] = String(subscription.isInIntroductoryOfferPeriod)
        }
        return fields
    }
}

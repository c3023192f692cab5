import Foundation
import StoreCore
import StoreCrypto

/// A readable report on a receipt or a JWS by the holder of a store's key or root.
struct ReceiptReport {
    /// Whether the receipt is valid.
    let isValid: Bool
    /// The answer as sent over the wire, with a line break at its end.
    let json: String
    private let lines: [String]

    /// Verifies a receipt of a transaction, an app receipt or a JWS.
    ///
    /// - Parameters:
    ///   - file: the receipt itself or its Base64 form, which may have line breaks, or a JWS, which may end with one.
    ///   - key: the store's key.
    ///   - now: the date for which a subscription is checked.
    init(_ file: Data, key: Data, at now: Date) {
        let signer = HMACReceiptSigner(key: key)
        self.init {
            if let jws = Self.jws(of: file) {
                // HMAC has no certificates, whose dates would matter.
                let payload = try signer.payload(of: String(decoding: jws, as: UTF8.self)) { _ in nil }
                guard let subject = AppStoreVerifier.Subject(ofPayload: payload) else {
                    throw VerificationFailure.foreignContent
                }
                return Self(subject, payload: payload, by: "store")
            }
            let receipt = Self.bytes(of: file)
            // DER begins with a SEQUENCE, a property list with a brace.
            guard receipt.first == 0x30 else {
                return Self(ReceiptVerification(of: receipt, signer: signer, at: now), by: "store")
            }
            let content = try AppReceipt(verifying: receipt, signer: signer)
            let json = try content.json(environment: signer.environment, requestedAt: now)
            return Self("The store vouches for this app receipt.", json, Self.fields(of: content))
        }
    }

    /// Verifies a receipt of a transaction, an app receipt or a JWS.
    ///
    /// - Parameters:
    ///   - file: the receipt itself or its Base64 form, or a JWS, which may end with a line break.
    ///   - verifier: the verifier with the store's root.
    ///   - now: the date for which a subscription is checked.
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

    /// Reports a verified receipt, or else the reason why it is invalid.
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

    private init(
        _ status: ReceiptVerification.Status,
        _ sentence: String,
        _ json: Data,
        _ fields: [String: String]
    ) {
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
        // A date in the receipt that cannot be written in the response.
        default: (.malformed, "\(error)")
        }
    }

    /// The whole report, with a line break at its end.
    var text: String { lines.map { "\($0)\n" }.joined() }

    /// Decodes Base64 if the file is Base64 from end to end, except white space; no receipt itself is.
    private static func bytes(of file: Data) -> Data {
        let whiteSpace = Set(" \t\r\n".utf8)
        return Data(base64Encoded: Data(file.filter { !whiteSpace.contains($0) })) ?? file
    }

    /// Returns a JWS, which begins with a brace in Base64, without trailing white space; nil for any other file.
    private static func jws(of file: Data) -> Data? {
        guard file.starts(with: "ey".utf8), file.contains(UInt8(ascii: ".")),
            let text = String(validating: file, as: UTF8.self)
        else { return nil }
        return Data(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    /// Escapes a field's name or value, which may contain anything, to one line without control characters.
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

    /// Returns the fields of a JSON object; values other than strings as JSON.
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

/// The options of `verify`.
struct VerifyOptions: Equatable {
    /// The key or the certificate to verify with.
    enum Key: Equatable {
        /// The store's key itself.
        case bytes(Data)
        /// The store's key: all bytes of a file.
        case file(String)
        /// The root certificate in a file.
        case root(String)
    }

    /// The file of the receipt or the JWS.
    var file: String
    var key: Key
    /// The file of a list of revoked certificates, valid only with a root.
    var revocationList: String?
    /// The date of the check; now, if nil.
    var moment: Date?
    /// Whether to print the answer as sent over the wire.
    var isJSON = false
}

extension Command {
    /// Parses the arguments after `verify`.
    static func verification(_ arguments: ArraySlice<String>) throws(Mistake) -> Command {
        var rest = arguments
        let keyFiles = try takeValues(of: "--key-file", "a file", from: &rest)
        let keys = try takeValues(of: "--key", "hexadecimal digits", from: &rest)
        let roots = try takeValues(of: "--root", "a file", from: &rest)
        let lists = try takeValues(of: "--revocation-list", "a file", from: &rest)
        let moments = try takeValues(of: "--at", "a moment", from: &rest)
        let (options, files) = sort(rest)
        if options.contains(where: isHelp) { return .help }
        if let option = options.first(where: { $0 != "--json" }) {
            throw Mistake(sentence: "\"\(option)\" is not an option of verify")
        }
        guard files.count == 1, let file = files.first else {
            throw Mistake(sentence: "verify judges one receipt; \(files.count) were given")
        }
        let sources =
            try keys.map { text throws(Mistake) in VerifyOptions.Key.bytes(try bytes(hexadecimal: text)) }
            + keyFiles.map { .file($0) } + roots.map { .root($0) }
        guard sources.count == 1, moments.count <= 1 else {
            let sentence =
                moments.count <= 1
                ? "verify needs the store's key or root, once: --key-file FILE, --key HEX or --root FILE"
                : "verify judges at one moment; \(moments.count) were given"
            throw Mistake(sentence: sentence)
        }
        guard lists.isEmpty || (lists.count == 1 && roots.count == 1) else {
            throw Mistake(sentence: "--revocation-list goes with --root, once")
        }
        return .verify(
            VerifyOptions(
                file: file,
                key: sources[0],
                revocationList: lists.first,
                moment: try moments.first.map(moment),
                isJSON: options.contains("--json")
            )
        )
    }

    private static func bytes(hexadecimal text: String) throws(Mistake) -> Data {
        let values = text.compactMap { $0.isASCII ? $0.hexDigitValue : nil }
        guard !values.isEmpty, values.count == text.count, values.count.isMultiple(of: 2) else {
            // Without the value: most of a mistyped key is still the key.
            throw Mistake(sentence: "--key needs hexadecimal digits, two for each byte")
        }
        return Data(stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) })
    }

    static func moment(_ text: String) throws(Mistake) -> Date {
        guard let moment = try? Date(text, strategy: .iso8601) else {
            throw Mistake(sentence: "\"\(text)\" is no moment as in 2012-09-21T01:31:38Z")
        }
        // The first second of the year 1, and that of the year 10000.
        guard (-62_135_596_800..<253_402_300_800).contains(moment.timeIntervalSince1970) else {
            throw Mistake(sentence: "\"\(text)\" is not in the years 1 to 9999, in which answers tell their dates")
        }
        return moment
    }
}

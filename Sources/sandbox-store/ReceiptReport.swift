import Foundation
import StoreCore
import StoreCrypto

/// A readable report on a receipt or a JWS by the holder of a store's key or root.
struct ReceiptReport {
    /// Whether the receipt is valid.
    let isValid: Bool
    /// The answer as sent over the wire, with a line break at its end.
    let json: String
    private var lines: [String] = []

    /// Verifies a receipt of a transaction, or an app receipt.
    ///
    /// - Parameters:
    ///   - file: the receipt itself or its Base64 form, which may have line breaks.
    ///   - key: the store's key.
    ///   - now: the date for which a subscription is checked.
    init(_ file: Data, key: Data, at now: Date) {
        let receipt = Self.bytes(of: file)
        let signer = HMACReceiptSigner(key: key)
        // DER begins with a SEQUENCE, a property list with a brace.
        if receipt.first == 0x30 {
            do throws(ReceiptRefusal) {
                let receipt = try AppReceipt(verifying: receipt, signer: signer)
                isValid = true
                json = Self.line(Self.json(of: receipt, environment: signer.environment, at: now))
                add(.valid, "The store vouches for this app receipt.", Self.fields(of: receipt))
            } catch {
                isValid = false
                json = Self.line(error.json)
                add(error.status, error.reason, [:])
            }
        } else {
            let verification = ReceiptVerification(of: receipt, signer: signer, at: now)
            isValid = verification.status == .valid
            json = Self.line(verification.json)
            add(verification.status, verification.reason ?? "The store vouches for this receipt.", verification.fields)
        }
    }

    /// Verifies a receipt of a transaction, an app receipt or a JWS.
    ///
    /// - Parameters:
    ///   - file: the receipt itself or its Base64 form, or a JWS, which may end with a line break.
    ///   - verifier: the verifier with the store's root.
    ///   - now: the date for which a subscription is checked.
    init(_ file: Data, verifier: AppStoreVerifier, at now: Date) {
        do throws(VerificationFailure) {
            let sentence: String
            switch try verifier.verify(Self.jws(of: file) ?? Self.bytes(of: file), at: now) {
            case .transactionReceipt(let response, let environment):
                isValid = response.status == .valid
                json = Self.line(response.json)
                sentence = response.reason ?? "The root vouches for this receipt."
                let fields = ["environment": "\(environment) (no signature covers it)"]
                add(response.status, sentence, fields.merging(response.fields) { $1 })
            case .appReceipt(let receipt, let environment):
                isValid = true
                let name = environment == "ProductionSandbox" ? "Sandbox" : environment
                json = Self.line(Self.json(of: receipt, environment: name, at: now))
                let fields = Self.fields(of: receipt).merging(["environment": name]) { $1 }
                add(.valid, "The root vouches for this app receipt.", fields)
            case .jws(let subject, let payload):
                isValid = true
                json = Self.line(payload)
                add(.valid, "The root vouches for this \(Self.name(of: subject)).", Self.fields(ofPayload: payload))
            }
        } catch {
            isValid = false
            json = "{\"status\":\(error.status.rawValue)}\n"
            add(error.status, error.description, [:])
        }
    }

    /// The whole report, with a line break at its end.
    var text: String { lines.map { "\($0)\n" }.joined() }

    private mutating func add(_ status: ReceiptVerification.Status, _ sentence: String, _ fields: [String: String]) {
        lines.append("status \(status.rawValue)")
        lines.append(sentence)
        lines += fields.sorted { $0.key < $1.key }.map { "\(Self.printable($0.key)): \(Self.printable($0.value))" }
    }

    private static func line(_ json: Data) -> String { String(decoding: json, as: UTF8.self) + "\n" }

    /// Encodes a receipt's content, which always succeeds unless the date is too far away.
    private static func json(of receipt: AppReceipt, environment: String, at moment: Date) -> Data {
        do {
            return try receipt.json(environment: environment, requestedAt: moment)
        } catch {
            return Data(#"{"status":21000}"#.utf8)
        }
    }

    /// Decodes Base64 if the file is Base64 from end to end, except white space; no receipt itself is.
    private static func bytes(of file: Data) -> Data {
        let whiteSpace = Set(" \t\r\n".utf8)
        return Data(base64Encoded: Data(file.filter { !whiteSpace.contains($0) })) ?? file
    }

    /// Returns a JWS, which begins with a brace in Base64, without white space behind it; nil for any other file.
    private static func jws(of file: Data) -> Data? {
        guard file.starts(with: "ey".utf8), file.contains(UInt8(ascii: ".")),
            let text = String(validating: file, as: UTF8.self)
        else { return nil }
        return Data(text.trimmingCharacters(in: .whitespacesAndNewlines).utf8)
    }

    /// Escapes a field's name or value, which may contain anything, to one line without control characters.
    private static func printable(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard scalars.contains(where: isControl) else { return text }
        return "\"\(scalars.map { $0.escaped(asASCII: $0.isASCII || isControl($0)) }.joined())\""
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
    }

    private static func name(of subject: AppStoreVerifier.Subject) -> String {
        switch subject {
        case .transaction: "transaction"
        case .renewalInfo: "renewal information"
        case .appTransaction: "app transaction"
        case .notification: "notification"
        }
    }

    /// Returns the fields of a JSON object; values other than texts as JSON.
    private static func fields(ofPayload payload: Data) -> [String: String] {
        let object = try? JSONSerialization.jsonObject(with: payload) as? [String: Any]
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

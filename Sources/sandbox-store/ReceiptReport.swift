import Foundation
import StoreCore

/// A readable report on a receipt by the holder of a store's key.
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

    /// The whole report, with a line break at its end.
    var text: String { lines.map { "\($0)\n" }.joined() }

    private mutating func add(_ status: ReceiptVerification.Status, _ sentence: String, _ fields: [String: String]) {
        lines.append("status \(status.rawValue)")
        lines.append(sentence)
        lines += fields.sorted { $0.key < $1.key }.map { "\($0.key): \(Self.printable($0.value))" }
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

    /// Escapes a user's name, which may contain anything, to one line.
    private static func printable(_ value: String) -> String {
        let isPlain = value.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
        return isPlain ? value : value.debugDescription
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

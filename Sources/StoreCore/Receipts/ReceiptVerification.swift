import Foundation

/// The result of verifying a transaction's receipt: whether it is authentic, and its content.
///
/// ``SandboxStore/verify(receipt:)`` returns it.
public struct ReceiptVerification: Hashable, Sendable {
    /// The status.
    public let status: Status
    /// The receipt's content, by the historical field names.
    ///
    /// The names are those of the receipt with underscores, such as `product_id` and `purchase_date_ms`. `expires_date`
    /// is in milliseconds since 1970. Empty unless the status is ``Status/valid`` or ``Status/subscriptionExpired``.
    public let fields: [String: String]
    /// One sentence that names the cause; nil if the status is ``Status/valid``.
    ///
    /// It quotes nothing from the receipt. The wording is not stable.
    public let reason: String?

    /// The newly signed receipt of the subscription's current period, `latest_receipt`.
    ///
    /// Nil for a product that does not renew, for a subscription that has ended, and if no store looked up later
    /// periods.
    public let latestReceipt: Data?
    /// The content of the subscription's newest period, by the same names as ``fields``.
    ///
    /// With status ``Status/valid``, this is the current period, which the JSON response calls `latest_receipt_info`.
    /// With ``Status/subscriptionExpired``, it is the last period, `latest_expired_receipt_info`. Empty for a product
    /// that does not renew, and if no store looked up later periods.
    public let latestFields: [String: String]

    /// Whether the receipt is authentic and the subscription in it has expired.
    ///
    /// A store also looks up later periods: the receipt of a period that has ended is valid while a later one runs.
    /// Without a store, only the receipt's own period is considered.
    public var isExpired: Bool { status == .subscriptionExpired }

    /// Verifies a receipt created by ``TransactionReceipt/data(signedBy:)``, at a given time.
    ///
    /// A receipt in which a single bit was changed has the status ``Status/malformed`` or ``Status/notAuthentic``. The
    /// data may be anything; the time taken is proportional to its length. Only the receipt itself is considered;
    /// ``SandboxStore/verify(receipt:)`` also considers later periods of a subscription.
    ///
    /// - Parameters:
    ///   - receipt: the receipt's bytes, not in Base64.
    ///   - signer: the signer that must have signed the receipt.
    ///   - now: the time for deciding whether the subscription has expired.
    package init(of receipt: Data, signer: any ReceiptSigner, at now: Date) {
        do throws(ReceiptRefusal) {
            try self.init(try Self.fields(of: receipt, signer: signer), at: now)
        } catch {
            self.init(status: error.status, reason: error.reason)
        }
    }

    /// Creates the result for the purchase information of a receipt whose signature was verified elsewhere.
    ///
    /// Returns nil if the data is not purchase information.
    package init?(purchaseInformation: Data, at now: Date) {
        guard let fields = purchaseInformation.withUnsafeBytes({ PurchaseInformation.fields(of: $0) }),
            let response = try? Self(fields, at: now)
        else { return nil }
        self = response
    }

    private init(_ fields: [String: String], at now: Date) throws(ReceiptRefusal) {
        let expiration = try Self.expiration(in: fields)
        let isOver = expiration.map { Double($0) <= ReceiptDate.milliseconds(of: now) } ?? false
        self.init(fields, isOver: isOver)
    }

    private init(_ fields: [String: String], isOver: Bool, latestReceipt: Data? = nil, latest: [String: String] = [:]) {
        self.init(
            status: isOver ? .subscriptionExpired : .valid,
            fields: fields,
            latestReceipt: latestReceipt,
            latestFields: latest,
            reason: isOver ? "The subscription's period is over." : nil
        )
    }

    private init(
        status: Status,
        fields: [String: String] = [:],
        latestReceipt: Data? = nil,
        latestFields: [String: String] = [:],
        reason: String?
    ) {
        self.status = status
        self.fields = fields
        self.latestReceipt = latestReceipt
        self.latestFields = latestFields
        self.reason = reason
    }
}

// MARK: - Reading

extension ReceiptVerification {
    private static func fields(of receipt: Data, signer: any ReceiptSigner) throws(ReceiptRefusal) -> [String: String] {
        guard let envelope = ReceiptEnvelope(receipt) else {
            throw ReceiptRefusal(.malformed, "The data is not a transaction receipt in its exact form.")
        }
        guard envelope.environment == signer.environment else {
            throw ReceiptRefusal(environment: envelope.environment, judgedIn: signer.environment)
        }
        guard envelope.isAuthentic(to: signer) else {
            throw ReceiptRefusal(.notAuthentic, "The receipt's signature is not this store's.")
        }
        // Nil if another program has signed other content with the same key.
        guard let fields = envelope.withPurchaseInformation({ PurchaseInformation.fields(of: $0) }) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but it is not a transaction receipt.")
        }
        return fields
    }

    private static func expiration(in fields: [String: String]) throws(ReceiptRefusal) -> Int64? {
        guard let text = fields["expires_date"] else { return nil }
        if let milliseconds = Int64(spelledBy: text) { return milliseconds }
        // Negative, or very large.
        guard let milliseconds = Int64(text), String(milliseconds) == text else {
            throw ReceiptRefusal(.malformed, "The receipt's expiration date is not a number of milliseconds.")
        }
        return milliseconds
    }
}

// MARK: - The subscription of a receipt

extension ReceiptVerification {
    /// The first transaction of the subscription in an authentic receipt; nil for any other receipt.
    var subscription: (original: String, date: String)? {
        guard fields["expires_date"] != nil, let original = fields["original_transaction_id"],
            let date = fields["original_purchase_date_ms"]
        else { return nil }
        return (original, date)
    }

    /// Returns the same result with the later periods of the subscription, which the store knows.
    ///
    /// Throws the errors of ``TransactionReceipt/data(signedBy:)``.
    func continued(by latest: TransactionReceipt, isOver: Bool, signer: any ReceiptSigner) throws -> Self {
        Self(
            fields,
            isOver: isOver,
            latestReceipt: isOver ? nil : try latest.data(signedBy: signer),
            latest: try latest.purchaseInformation().withUnsafeBytes { PurchaseInformation.fields(of: $0) } ?? [:]
        )
    }
}

extension ReceiptVerification {
    /// The status of a verification, by its historical number; an open set, to which a store may add others.
    public struct Status: RawRepresentable, Hashable, Codable, Sendable {
        /// The number of the status in the JSON response.
        public let rawValue: Int
        /// Creates a status from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The receipt is authentic.
        public static let valid = Status(rawValue: 0)
        /// The request cannot be read.
        package static let unreadableRequest = Status(rawValue: 21000)
        /// The data is missing, or it is not a receipt.
        public static let malformed = Status(rawValue: 21002)
        /// The receipt was not signed by this store.
        public static let notAuthentic = Status(rawValue: 21003)
        /// The shared secret in the request is wrong.
        package static let wrongSharedSecret = Status(rawValue: 21004)
        /// The store is temporarily unavailable.
        package static let unavailable = Status(rawValue: 21005)
        /// The receipt is authentic, but the subscription in it has expired.
        public static let subscriptionExpired = Status(rawValue: 21006)
        /// A receipt from a test was sent to a production store.
        package static let sandboxReceiptInProduction = Status(rawValue: 21007)
        /// A receipt from production was sent to a test store.
        package static let productionReceiptInSandbox = Status(rawValue: 21008)
        /// The store could not access its own data.
        package static let internalDataError = Status(rawValue: 21009)
        /// The user's account does not exist or has been deleted.
        package static let accountNotFound = Status(rawValue: 21010)
    }
}

extension ReceiptVerification {
    /// The complete historical response: one JSON object.
    ///
    /// `status` is a number. An authentic receipt's ``fields`` are under `receipt`: each value is a string. If a store
    /// looked up later periods, a subscription also has ``latestFields`` as `latest_receipt_info`, or as
    /// `latest_expired_receipt_info` with status ``Status/subscriptionExpired``, and ``latestReceipt`` in Base64 as
    /// `latest_receipt`. The keys are sorted, so equal responses have the same bytes.
    public var json: Data { AnswerValue.object(answer).json }

    /// The members of the ``json`` object, to which others may be added.
    package var answer: [String: AnswerValue] {
        var answer: [String: AnswerValue] = ["status": .number(status.rawValue)]
        if !fields.isEmpty { answer["receipt"] = AnswerValue(fields) }
        if !latestFields.isEmpty {
            answer[isExpired ? "latest_expired_receipt_info" : "latest_receipt_info"] = AnswerValue(latestFields)
        }
        answer["latest_receipt"] = latestReceipt.map { .text($0.base64EncodedString()) }
        return answer
    }
}

extension ReceiptRefusal {
    /// The historical response: a JSON object that contains only the `status`.
    public var json: Data { AnswerValue.object(["status": .number(status.rawValue)]).json }
}

/// The reason why a store refuses a receipt: a status and a sentence.
public struct ReceiptRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status; never ``ReceiptVerification/Status/valid``.
    ///
    /// It is 21007 for the receipt of a test in a production store, and 21008 for a receipt from production in the
    /// store of a test.
    public let status: ReceiptVerification.Status
    /// One sentence that names the cause, and quotes nothing from the receipt.
    ///
    /// The wording is not stable.
    public let reason: String

    init(_ status: ReceiptVerification.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// Creates the refusal of a receipt from an error of its signer, with the error's description as the sentence.
    ///
    /// If the error has no status, the status is ``ReceiptVerification/Status/notAuthentic``.
    init(_ error: any Error) { self.init((error as? any ReceiptRefusalReason)?.status ?? .notAuthentic, "\(error)") }

    /// The refusal of data that the store has signed, but that is not an app receipt.
    static let notAnAppReceipt = ReceiptRefusal(.malformed, "The store signed this, but it is not an app receipt.")

    /// Creates the refusal of a receipt that comes from another environment than the verifier's.
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

/// An error of a signer that determines the status of the refusal.
package protocol ReceiptRefusalReason: Error {
    /// The status; never ``ReceiptVerification/Status/valid``.
    var status: ReceiptVerification.Status { get }
}

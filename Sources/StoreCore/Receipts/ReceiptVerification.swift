import Foundation

/// A store's response about a receipt: whether it is authentic, and its content.
public struct ReceiptVerification: Hashable, Sendable {
    /// The status.
    public let status: Status
    /// The receipt's content, under the historical names of verification.
    ///
    /// They are the receipt's own with underscores, such as `product_id` and `purchase_date_ms`. `expires_date` is in
    /// milliseconds since 1970. Empty unless the receipt is authentic, which it also is with status
    /// ``Status/subscriptionExpired``.
    public let fields: [String: String]
    /// One sentence that names the cause when the status is not ``Status/valid``.
    ///
    /// It contains nothing from the receipt. Its wording is not stable.
    public let reason: String?

    /// `latest_receipt`: a newly signed receipt of the current period of the receipt's subscription.
    ///
    /// Nil for products that do not renew, for an ended subscription, and where no store was consulted.
    public let latestReceipt: Data?
    /// The content of the subscription's newest period, under the same names as ``fields``.
    ///
    /// With status ``Status/valid`` it is `latest_receipt_info` in the response over the wire: the current period. With
    /// ``Status/subscriptionExpired`` it is `latest_expired_receipt_info`: the last period. Empty for products that do not
    /// renew, and where no store was consulted.
    public let latestFields: [String: String]

    /// Whether the receipt is authentic and the subscription in it has expired.
    ///
    /// A store considers the whole subscription: the receipt of an ended period is valid while a later one runs. Without a
    /// store, the receipt's own period decides.
    public var isExpired: Bool { status == .subscriptionExpired }

    /// Verifies a receipt that ``TransactionReceipt/data(signedBy:)`` created, at a given time.
    ///
    /// Every byte counts: a receipt with a single changed bit gets status ``Status/malformed`` or ``Status/notAuthentic``.
    /// Never fails otherwise, whatever the data; takes time proportional to its length. It considers the receipt alone;
    /// ``SandboxStore/verify(receipt:)`` also considers later periods of a subscription.
    ///
    /// - Parameters:
    ///   - receipt: The receipt itself, not its Base64 form.
    ///   - signer: The signer that must have signed it.
    ///   - now: The moment at which a subscription may have expired.
    public init(of receipt: Data, signer: any ReceiptSigner, at now: Date) {
        do throws(ReceiptRefusal) {
            try self.init(try Self.fields(of: receipt, signer: signer), at: now)
        } catch {
            self.init(status: error.status, reason: error.reason)
        }
    }

    /// Creates the response for a receipt's purchase information, whose signature was verified elsewhere.
    ///
    /// Returns nil if it is not purchase information.
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
    private static func fields(
        of receipt: Data,
        signer: any ReceiptSigner
    ) throws(ReceiptRefusal) -> [String: String] {
        guard let envelope = ReceiptEnvelope(receipt) else {
            throw ReceiptRefusal(.malformed, "The data is not a transaction receipt in its exact form.")
        }
        guard envelope.environment == signer.environment else {
            throw ReceiptRefusal(environment: envelope.environment, judgedIn: signer.environment)
        }
        guard envelope.isAuthentic(to: signer) else {
            throw ReceiptRefusal(.notAuthentic, "The receipt's signature is not this store's.")
        }
        // This happens when another program uses the same key.
        guard let fields = envelope.purchaseInformation.withUnsafeBytes({ PurchaseInformation.fields(of: $0) }) else {
            throw ReceiptRefusal(.malformed, "The store signed this, but it is not a transaction receipt.")
        }
        return fields
    }

    private static func expiration(in fields: [String: String]) throws(ReceiptRefusal) -> Int64? {
        guard let text = fields["expires_date"] else { return nil }
        guard let milliseconds = Int64(text), String(milliseconds) == text else {
            throw ReceiptRefusal(.malformed, "The receipt's expiration date is not a number of milliseconds.")
        }
        return milliseconds
    }
}

// MARK: - The subscription of a receipt

extension ReceiptVerification {
    /// The first transaction of an authentic receipt's subscription; nil for all other receipts.
    var subscription: (original: String, date: String)? {
        guard fields["expires_date"] != nil, let original = fields["original_transaction_id"],
            let date = fields["original_purchase_date_ms"]
        else { return nil }
        return (original, date)
    }

    /// Returns the same response from a store that knows the subscription's later periods.
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
    /// The status numbers of verification: an open set, to which a store may add others.
    public struct Status: RawRepresentable, Hashable, Codable, Sendable {
        /// The number that goes over the wire.
        public let rawValue: Int
        /// Creates a status from its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The receipt is authentic.
        public static let valid = Status(rawValue: 0)
        /// The request is malformed.
        public static let unreadableRequest = Status(rawValue: 21000)
        /// The data is missing, or is not a receipt.
        public static let malformed = Status(rawValue: 21002)
        /// The receipt is not signed by this store.
        public static let notAuthentic = Status(rawValue: 21003)
        /// The request has the wrong shared secret.
        public static let wrongSharedSecret = Status(rawValue: 21004)
        /// The store is unavailable now.
        public static let unavailable = Status(rawValue: 21005)
        /// The receipt is authentic, but the subscription in it has expired.
        public static let subscriptionExpired = Status(rawValue: 21006)
        /// A receipt from a test was sent to production.
        public static let sandboxReceiptInProduction = Status(rawValue: 21007)
        /// A receipt from production was sent to a test store.
        public static let productionReceiptInSandbox = Status(rawValue: 21008)
        /// The store could not access its own data.
        public static let internalDataError = Status(rawValue: 21009)
        /// The user's account does not exist, or no longer does.
        public static let accountNotFound = Status(rawValue: 21010)
    }
}

extension ReceiptVerification {
    /// The whole response as it went over the wire: one JSON object.
    ///
    /// `status` is a number. An authentic receipt is under `receipt`, as ``fields``: every value in it is a string. With a
    /// store, a subscription also has ``latestFields``, as `latest_receipt_info`, or as `latest_expired_receipt_info` with
    /// status ``Status/subscriptionExpired``; and ``latestReceipt`` in Base64 as `latest_receipt`. The keys are in
    /// alphabetical order, so equal responses have the same bytes.
    public var json: Data { AnswerValue.object(answer).json }

    /// The members of ``json``, to which a caller may add others.
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
    /// The response as it went over the wire: a JSON object with only the `status`.
    public var json: Data { AnswerValue.object(["status": .number(status.rawValue)]).json }
}

/// The reason why a store refuses a receipt: a status and a sentence.
public struct ReceiptRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The status; never ``ReceiptVerification/Status/valid``.
    public let status: ReceiptVerification.Status
    /// One sentence that names the cause, without anything from the receipt.
    ///
    /// Its wording is not stable.
    public let reason: String

    init(_ status: ReceiptVerification.Status, _ reason: String) {
        self.status = status
        self.reason = reason
    }

    /// Creates the refusal of a receipt that a signer could not open, with the signer's own sentence.
    ///
    /// The status of an error that has none is ``ReceiptVerification/Status/notAuthentic``.
    init(_ error: any Error) {
        self.init((error as? any ReceiptRefusalReason)?.status ?? .notAuthentic, "\(error)")
    }

    /// The refusal of data that the store signed but that is not an app receipt.
    static let notAnAppReceipt = ReceiptRefusal(.malformed, "The store signed this, but it is not an app receipt.")

    /// Creates the refusal of a receipt whose environment is not the verifier's.
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

/// A signer's error that has a status for the refusal of the receipt.
package protocol ReceiptRefusalReason: Error {
    /// The status; never ``ReceiptVerification/Status/valid``.
    var status: ReceiptVerification.Status { get }
}

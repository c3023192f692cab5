import Foundation

/// What a store answers about a receipt: whether it vouches for it, and what it says.
public struct ReceiptVerification: Hashable, Sendable {
    /// The answer's number.
    public let status: Status
    /// What the receipt says, under the names that verification always had.
    ///
    /// They are the receipt's own with underscores, such as `product_id` and `purchase_date_ms`. `expires_date` is in
    /// milliseconds since 1970. Empty unless the receipt is authentic, which it also is with status
    /// ``Status/subscriptionExpired``.
    public let fields: [String: String]
    /// One sentence that names the cause when the status is not ``Status/valid``.
    ///
    /// It holds nothing from the receipt. Its wording is not stable.
    public let reason: String?

    /// `latest_receipt`: the receipt of the running period of the subscription that the receipt belongs to, signed anew.
    ///
    /// Nil for everything that does not renew, for a subscription that is over, and where no store was asked.
    public let latestReceipt: Data?
    /// What the subscription's newest period says, under the same names as ``fields``.
    ///
    /// With status ``Status/valid`` the answer that went over the wire called it `latest_receipt_info`: the running period.
    /// With ``Status/subscriptionExpired`` it called it `latest_expired_receipt_info`: the last one. Empty for everything
    /// that does not renew, and where no store was asked.
    public let latestFields: [String: String]

    /// Whether the store vouches for the receipt and the subscription in it is over.
    ///
    /// A store judges the subscription: the receipt of a period long past is valid while a later one runs. Where no store
    /// was asked, the receipt's own period decides.
    public var isExpired: Bool { status == .subscriptionExpired }

    /// Verifies a receipt that ``TransactionReceipt/data(signedBy:)`` made, at the time given.
    ///
    /// Every byte counts: a receipt of which a single bit was changed gets status ``Status/malformed`` or
    /// ``Status/notAuthentic``. Never fails otherwise, whatever the data; takes a time proportional to its length. It knows
    /// of nothing but the receipt; ``SandboxStore/verify(receipt:)`` also knows how a subscription went on.
    ///
    /// - Parameters:
    ///   - receipt: The receipt itself, not its Base64 form.
    ///   - signer: Who must have signed it.
    ///   - now: The moment at which a subscription may be over.
    public init(of receipt: Data, signer: any ReceiptSigner, at now: Date) {
        do throws(ReceiptRefusal) {
            let fields = try Self.fields(of: receipt, signer: signer)
            let expiration = try Self.expiration(in: fields)
            let isOver = expiration.map { Double($0) <= ReceiptDate.milliseconds(of: now) } ?? false
            self.init(fields, isOver: isOver)
        } catch {
            self.init(status: error.status, reason: error.reason)
        }
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
        // As when somebody else uses the same key.
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

// MARK: - The subscription behind a receipt

extension ReceiptVerification {
    /// The first transaction of the subscription that an authentic receipt belongs to; nil for everything else.
    var subscription: (original: String, date: String)? {
        guard fields["expires_date"] != nil, let original = fields["original_transaction_id"],
            let date = fields["original_purchase_date_ms"]
        else { return nil }
        return (original, date)
    }

    /// The same answer from a store that knows how the subscription went on.
    ///
    /// Throws what ``TransactionReceipt/data(signedBy:)`` throws.
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
    /// The numbers with which receipts are judged: an open set, a store may answer others.
    public struct Status: RawRepresentable, Hashable, Codable, Sendable {
        /// The number that goes over the wire.
        public let rawValue: Int
        /// Any status by its number.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// The store vouches for the receipt.
        public static let valid = Status(rawValue: 0)
        /// The question was not asked as it must be.
        public static let unreadableRequest = Status(rawValue: 21000)
        /// The data is missing, or is no receipt.
        public static let malformed = Status(rawValue: 21002)
        /// The store did not make this receipt.
        public static let notAuthentic = Status(rawValue: 21003)
        /// The question came with the wrong shared secret.
        public static let wrongSharedSecret = Status(rawValue: 21004)
        /// The store cannot answer now.
        public static let unavailable = Status(rawValue: 21005)
        /// The store vouches for the receipt, but the subscription in it is over.
        public static let subscriptionExpired = Status(rawValue: 21006)
        /// A receipt from a test was sent to production.
        public static let sandboxReceiptInProduction = Status(rawValue: 21007)
        /// A receipt from production was sent to a test store.
        public static let productionReceiptInSandbox = Status(rawValue: 21008)
        /// The store could not get at its own data.
        public static let internalDataError = Status(rawValue: 21009)
        /// The user's account does not exist, or not any more.
        public static let accountNotFound = Status(rawValue: 21010)
    }
}

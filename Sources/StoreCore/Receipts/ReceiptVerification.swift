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

    /// Verifies a receipt that ``TransactionReceipt/data(signedBy:)`` made, at the time given.
    ///
    /// Every byte counts: a receipt of which a single bit was changed gets status ``Status/malformed`` or
    /// ``Status/notAuthentic``. Never fails otherwise, whatever the data; takes a time proportional to its length.
    ///
    /// - Parameters:
    ///   - receipt: The receipt itself, not its Base64 form.
    ///   - signer: Who must have signed it.
    ///   - now: The moment at which a subscription may be over.
    public init(of receipt: Data, signer: any ReceiptSigner, at now: Date) {
        guard let envelope = ReceiptEnvelope(receipt) else {
            self.init(.malformed, because: "The data is not a transaction receipt in its exact form.")
            return
        }
        guard envelope.environment == signer.environment else {
            self.init(elsewhere: envelope.environment, signer: signer.environment)
            return
        }
        guard envelope.isAuthentic(to: signer) else {
            self.init(.notAuthentic, because: "The receipt's signature is not this store's.")
            return
        }
        guard let fields = Self.fields(of: envelope.purchaseInformation) else {
            self.init(.malformed, because: "The store signed this, but it is not a transaction receipt.")
            return
        }
        if let expiration = fields["expires_date"] {
            guard let milliseconds = Int64(expiration), String(milliseconds) == expiration else {
                self.init(.malformed, because: "The receipt's expiration date is not a number of milliseconds.")
                return
            }
            if Double(milliseconds) <= ReceiptDate.milliseconds(of: now) {
                self.init(.subscriptionExpired, fields, because: "The subscription's period is over.")
                return
            }
        }
        self.init(.valid, fields, because: nil)
    }

    private init(_ status: Status, _ fields: [String: String] = [:], because reason: String?) {
        self.status = status
        self.fields = fields
        self.reason = reason
    }

    private init(elsewhere environment: String, signer: String) {
        switch ReceiptEnvelope.production {
        case signer:
            self.init(.sandboxReceiptInProduction, because: "The receipt comes from a test, this store is production.")
        case environment:
            self.init(.productionReceiptInSandbox, because: "The receipt comes from production, this store is a test.")
        default:
            self.init(.notAuthentic, because: "The receipt comes from another environment than this store's.")
        }
    }

    /// Nil for what is no receipt although it is signed, as when somebody else uses the same key.
    private static func fields(of information: [UInt8]) -> [String: String]? {
        guard let entries = OldStylePropertyList.decode(information) else { return nil }
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        var fields = [String: String](minimumCapacity: entries.count)
        for entry in entries {
            let name = String(decoding: entry.key.utf8.map { $0 == hyphen ? underscore : $0 }, as: UTF8.self)
            guard fields.updateValue(entry.value, forKey: name) == nil else { return nil }
        }
        return TransactionReceipt.indispensableKeys.isSubset(of: fields.keys) ? fields : nil
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

import Foundation

/// A change that no queue ordered, usually made by the store's operator, with its effects.
enum OperatorChange: Hashable, Codable, Sendable {
    /// Ask to Buy was turned on or off for an account.
    case asksToBuy(account: AccountID, Bool)
    /// Interruption of an account's orders was turned on or off.
    case interruptsPurchases(account: AccountID, Bool)
    /// An order was accepted and interrupted.
    case interrupted(StoreEvent.Order, StoreFailure)
    /// A deferred order was interrupted when it was to be charged.
    case interruptedLater(transaction: TransactionNumber, StoreFailure)
    /// An interrupted purchase was completed.
    case resolved(transaction: TransactionNumber, UnorderedPurchase)
    /// An account bought something without a queue's order.
    case bought(UnorderedPurchase)
    /// The purchase of the app was set for an account; for the whole store if there is no account.
    indirect case appPurchase(account: AccountID?, AppPurchase)
    /// The storefront changed to another country, given as ISO 3166-1 alpha-3.
    case storefront(String)
    /// A device's user began a purchase on the store's page.
    case promoted(device: DeviceID, String)
    /// A device's app has received all notices, other than transactions, up to a position in the ledger.
    case newsTold(device: DeviceID, through: Int)
    /// A device's app changed its promotions on the store's page.
    case promotionChanged(device: DeviceID, PromotionChange)
    /// A token was issued for a device.
    case tokenMade(device: DeviceID, TokenDigest)
    /// All tokens of a device were revoked.
    case tokensRevoked(device: DeviceID)
    /// A purchase was refunded.
    case refunded(Refund)
    /// Transactions were deleted as if they had never existed.
    case deleted(Deletion)
    /// All transactions were deleted.
    case cleared(withdrawn: [Deletion.Withdrawn])
    /// Something changed in a family.
    case family(FamilyChange)
    /// An app's server made a change, a refund was requested, or servers were notified.
    indirect case server(ServerChange)
    /// Something changed about purchases outside of the store.
    indirect case external(ExternalChange)
}

/// The expiration and revocation that a device's receipt states, set by a refresh.
struct ReceiptClaims: Hashable, Codable, Sendable {
    /// The moment from which the receipt is expired.
    private(set) var expirationDate: Date?
    /// The moment since which the receipt is revoked.
    private(set) var revocationDate: Date?
    private(set) var isVolumePurchase = false
    /// The date of the last refresh; nil if there was none, or if an older version of the store recorded it.
    private(set) var refreshDate: Date?

    init() {}

    init(_ properties: ReceiptProperties, at moment: Date) {
        expirationDate = properties.isExpired ? moment : nil
        revocationDate = properties.isRevoked ? moment : nil
        isVolumePurchase = properties.isVolumePurchase
        refreshDate = moment
    }
}

/// The SHA-256 digest of a device's token, which the store retains in place of the token.
struct TokenDigest: Hashable, Codable, Sendable {
    let bytes: Data

    /// Hashes a token.
    init(_ token: DeviceToken) { bytes = Data(SHA256.digest(of: token.text.utf8)) }

    init(from decoder: any Decoder) throws { bytes = try decoder.singleValueContainer().decode(Data.self) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(bytes)
    }

    /// The first eight bytes in Base64, by which digests are looked up.
    var prefix: String { bytes.prefix(8).base64EncodedString() }

    /// Returns whether two digests are equal, in constant time.
    func isEqual(to other: TokenDigest) -> Bool {
        bytes.count == other.bytes.count && zip(bytes, other.bytes).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

import Foundation
import StoreCore

/// The protocol between remote devices and their store: versions, paths and limits.
package enum DeviceProtocol {
    /// The versions that this software supports.
    ///
    /// Version 1, which used the JSON that Swift synthesizes, is no longer supported.
    package static let versions = VersionRange(oldest: 2, newest: 2)
    /// The name of this software in greetings.
    package static let software = "StoreCore"
    /// The first part of every path.
    package static let root = "device"

    /// The range of the heartbeat interval, in seconds.
    package static let heartbeats = 0.01...86_400
    /// The maximum number of commands in a submission.
    package static let mostCommands = 256
    /// The maximum size of a submission that a device sends, in bytes; only a longer single command exceeds it.
    package static let submissionSize = 256 << 10
    /// The maximum number of identifiers in a look-up and in a query for transactions.
    package static let mostIdentifiers = 5_000
    /// The maximum number of transactions on a page of the history.
    package static let mostTransactions = 1_000
    /// The maximum size of a part of hosted content, in bytes.
    package static let contentSize = 1 << 20
    /// The maximum size, in bytes, of a response, of a line of the stream, and of the data that a device has received
    /// on the stream and not handled yet.
    package static let answerSize = 64 << 20
}

/// A range of versions of the protocol.
package struct VersionRange: Hashable, Codable, Sendable {
    package var oldest: Int
    package var newest: Int

    package init(oldest: Int, newest: Int) { (self.oldest, self.newest) = (oldest, newest) }

    /// Returns the newest version that both ranges contain; nil for none.
    package func common(with other: VersionRange) -> Int? {
        let version = min(newest, other.newest)
        return version >= max(oldest, other.oldest) ? version : nil
    }

    package func contains(_ version: Int) -> Bool { version >= oldest && version <= newest }
}

extension VersionRange: CustomStringConvertible {
    package var description: String { oldest == newest ? "version \(oldest)" : "versions \(oldest) to \(newest)" }
}

/// A request of a device.
///
/// The raw value is the last part of the path; all requests but ``updates`` are POST requests.
package enum DeviceCall: String, CaseIterable, Sendable {
    /// The first exchange, whose path contains no version.
    case hello
    /// The stream of updates.
    case updates
    case submit, acknowledge, products
    case refreshReceipt = "refresh-receipt"
    case content
    case changePromotion = "change-promotion"
    case enterCode = "enter-code"
    case showConsent = "show-consent"
    case decideStorefront = "decide-storefront"
    case transactions, subscriptions
    case appTransaction = "app-transaction"
    case synchronize, eligibility
    case requestRefund = "request-refund"
    case externalPurchase = "external-purchase"

    /// Whether a request may be performed twice, since it only reads, or since the store recognizes a repetition.
    var mayBeRepeated: Bool {
        switch self {
        case .hello, .updates, .submit, .acknowledge, .products, .content: true
        case .transactions, .subscriptions, .appTransaction, .eligibility: true
        case .refreshReceipt, .changePromotion, .enterCode, .showConsent, .decideStorefront: false
        case .synchronize, .requestRefund, .externalPurchase: false
        }
    }

    /// Returns the parts of the path in a version of the protocol.
    package func path(version: Int) -> [String] {
        self == .hello ? [DeviceProtocol.root, rawValue] : [DeviceProtocol.root, String(version), rawValue]
    }
}

/// The values that a store's services return synchronously on a device.
package struct DeviceStatus: Hashable, Codable, Sendable {
    package var canMakePayments: Bool
    package var storefront: StoreStorefront?
    package var promotionOverrides: PromotionOverrides
    /// The position in the ledger of the latest change of the overrides; nil if they were never changed.
    package var promotionPosition: Int?
    package var isPriceConsentPending: Bool
    package var deviceVerificationID: UUID?
    package var ageRatingCode: Int?

    package init(
        canMakePayments: Bool = true,
        storefront: StoreStorefront? = nil,
        promotionOverrides: PromotionOverrides = PromotionOverrides(),
        promotionPosition: Int? = nil,
        isPriceConsentPending: Bool = false,
        deviceVerificationID: UUID? = nil,
        ageRatingCode: Int? = nil
    ) {
        self.canMakePayments = canMakePayments
        self.storefront = storefront
        self.promotionOverrides = promotionOverrides
        self.promotionPosition = promotionPosition
        self.isPriceConsentPending = isPriceConsentPending
        self.deviceVerificationID = deviceVerificationID
        self.ageRatingCode = ageRatingCode
    }
}

/// The app's changes to promotions, in the response to another change.
package struct PromotionUpdate: Hashable, Codable, Sendable {
    /// The overrides; nil from a store that does not say them.
    package var promotionOverrides: PromotionOverrides?
    /// The position in the ledger of the latest change.
    package var position: Int?

    package init(_ promotionOverrides: PromotionOverrides?, position: Int?) {
        (self.promotionOverrides, self.position) = (promotionOverrides, position)
    }
}

/// The current app receipt; nil if there is none.
package struct ReceiptUpdate: Hashable, Codable, Sendable {
    package var receipt: Data?
    /// The position in the ledger at which the receipt was read.
    package var position: Int?

    package init(_ receipt: Data?, position: Int? = nil) { (self.receipt, self.position) = (receipt, position) }
}

/// The first message of a device.
package struct Greeting: Hashable, Codable, Sendable {
    package var software: String
    package var versions: VersionRange
    /// Whether the app receipt and the receipts of transactions are sent with the updates.
    package var wantsReceipts: Bool

    package init(
        software: String = DeviceProtocol.software,
        versions: VersionRange = DeviceProtocol.versions,
        wantsReceipts: Bool
    ) {
        (self.software, self.versions, self.wantsReceipts) = (software, versions, wantsReceipts)
    }
}

/// The store's response to a greeting.
package struct Welcome: Hashable, Codable, Sendable {
    package var software: String
    /// The version for all further requests.
    package var version: Int
    /// The seconds between two heartbeats on the stream of updates.
    package var heartbeat: Double
    /// The maximum size of a request's body in bytes; nil if the store does not announce it.
    package var bodySize: Int?
    package var status: DeviceStatus
    package var receipt: ReceiptUpdate?

    package init(
        software: String = DeviceProtocol.software,
        version: Int,
        heartbeat: Double,
        bodySize: Int? = nil,
        status: DeviceStatus,
        receipt: ReceiptUpdate?
    ) {
        (self.software, self.version, self.heartbeat) = (software, version, heartbeat)
        self.bodySize = bodySize
        (self.status, self.receipt) = (status, receipt)
    }
}

/// An app's decision about a purchase that was in progress when the storefront changed.
package struct StorefrontDecision: Hashable, Codable, Sendable {
    package var transaction: String
    package var shouldContinue: Bool

    private enum CodingKeys: String, CodingKey {
        case transaction = "transactionIdentifier"
        case shouldContinue
    }

    package init(transaction: String, shouldContinue: Bool) {
        (self.transaction, self.shouldContinue) = (transaction, shouldContinue)
    }
}

/// The body of a request without arguments, or of a response without content.
package struct Nothing: Hashable, Codable, Sendable {
    package init() {}
}

/// The outcome of the sheet for offer codes.
package struct CodeRedemption: Hashable, Codable, Sendable {
    /// The identifier of the redeemed transaction; nil if the user canceled.
    package let transaction: String?

    package init(transaction: String?) { self.transaction = transaction }
}

/// A line of the stream of updates, as JSON; a line without content is a heartbeat.
///
/// The status and the receipts of a line apply before its batch is delivered.
package struct UpdateLine: Hashable, Codable, Sendable {
    /// The status, if it has changed; always in the first line.
    package var status: DeviceStatus?
    /// The app receipt, if it has changed.
    package var receipt: ReceiptUpdate?
    /// The receipts of the batch's purchased and restored transactions, by identifier.
    package var receipts: [String: Data]?
    package var batch: UpdateBatch?
    /// True if results of history queries and product look-ups may have changed, otherwise absent.
    ///
    /// Always true in the first line.
    package var hasChanged: Bool?
    /// The reason why the store ends the stream.
    package var failure: StoreFailure?

    package init() {}

    package var isEmpty: Bool { self == UpdateLine() }
}

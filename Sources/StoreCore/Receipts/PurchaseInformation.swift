import Foundation

/// The decoder of a transaction receipt's purchase information into the fields that verification reports.
enum PurchaseInformation {
    private typealias Key = PurchaseInformationKey

    private static let indispensableNames = Set(Key.indispensable.map(\.rawValue))

    /// Returns the fields of purchase information, by the receipt's keys with underscores; nil if it is invalid.
    ///
    /// The entries may be in any order, and unknown ones are included.
    static func fields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        // The fast reader accepts only texts that this library has written; the general reader reads all others.
        writtenFields(of: text) ?? anyFields(of: text)
    }

    private static func anyFields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        var reader = OldStylePropertyList.Reader(text)
        let (hyphen, underscore) = (UInt8(ascii: "-"), UInt8(ascii: "_"))
        var fields: [String: String] = [:]
        guard reader.skip("{\n") else { return nil }
        while reader.skip("\t\"") {
            guard let key = reader.string(), reader.skip(" = \""), let value = reader.string(), reader.skip(";\n")
            else { return nil }
            let name = String(decoding: key.utf8.map { $0 == hyphen ? underscore : $0 }, as: UTF8.self)
            guard fields.updateValue(value, forKey: name) == nil else { return nil }
        }
        guard reader.skip("}"), reader.isAtEnd, indispensableNames.isSubset(of: fields.keys) else { return nil }
        return fields
    }
}

// MARK: - This library's form

extension PurchaseInformation {
    /// The set of a receipt's keys, one bit for each, and the index of each key's value in the receipt.
    private struct Shape: Sendable {
        var keys: UInt32 = 0
        var places: [String: Int] = [:]
    }

    /// The shape of the receipt that was read last.
    ///
    /// The next receipt usually has the same shape: its key names then need not be hashed again.
    private static let lastShape = Locked(Shape())

    private static let indispensableBits =
        Key.indispensable.compactMap { Key.allCases.firstIndex(of: $0) }.reduce(0) { $0 | bit($1) }

    private static func bit(_ index: Int) -> UInt32 { 1 << UInt32(index) }

    /// Returns the fields of a text written by this library without escapes; nil for any other, even if it is valid.
    private static func writtenFields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        withUnsafeTemporaryAllocation(of: Range<Int>.self, capacity: Key.allCases.count) { values in
            var reader = OldStylePropertyList.Reader(text)
            var present: UInt32 = 0
            var count = 0
            guard reader.skip("{\n") else { return nil }
            for (index, key) in Key.allCases.enumerated() where reader.skip(key.opening) {
                guard let value = reader.plainString(), reader.skip(";\n") else { return nil }
                present |= bit(index)
                values.initializeElement(at: count, to: value)
                count += 1
            }
            guard reader.skip("}"), reader.isAtEnd, present & indispensableBits == indispensableBits else { return nil }
            return places(of: present).mapValues { String(decoding: text[values[$0]], as: UTF8.self) }
        }
    }

    private static func places(of present: UInt32) -> [String: Int] {
        let known = lastShape.withLock { $0.keys == present ? $0.places : nil }
        if let known { return known }
        let names = Key.allCases.indices.filter { present & bit($0) != 0 }.map { Key.allCases[$0].rawValue }
        let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        lastShape.withLock { $0 = Shape(keys: present, places: places) }
        return places
    }
}

/// The keys of a transaction's receipt, in the order in which they are written.
///
/// The historical order, that of a hash table, had no meaning. This order is StoreCore's own and never changes.
///
/// A raw value is the key's name in verification responses, with underscores.
enum PurchaseInformationKey: String, CaseIterable {
    case quantity
    case productIdentifier = "product_id"
    case transactionIdentifier = "transaction_id"
    case originalTransactionIdentifier = "original_transaction_id"
    case purchaseDate = "purchase_date"
    case purchaseDateMilliseconds = "purchase_date_ms"
    case purchaseDatePacific = "purchase_date_pst"
    case originalPurchaseDate = "original_purchase_date"
    case originalPurchaseDateMilliseconds = "original_purchase_date_ms"
    case originalPurchaseDatePacific = "original_purchase_date_pst"
    case itemIdentifier = "item_id"
    case bundleIdentifier = "bid"
    case bundleVersion = "bvrs"
    case uniqueIdentifier = "unique_identifier"
    case uniqueVendorIdentifier = "unique_vendor_identifier"
    case appItemIdentifier = "app_item_id"
    case versionExternalIdentifier = "version_external_identifier"
    case expiresDate = "expires_date"
    case expiresDateFormatted = "expires_date_formatted"
    case expiresDateFormattedPacific = "expires_date_formatted_pst"
    case webOrderLineItemIdentifier = "web_order_line_item_id"
    case isTrialPeriod = "is_trial_period"
    case isInIntroductoryOfferPeriod = "is_in_intro_offer_period"
    case promotionalOfferIdentifier = "promotional_offer_id"
    case codeReferenceName = "offer_code_ref_name"
    case applicationUsername = "application_username"
    case cancellationDate = "cancellation_date"
    case cancellationDateMilliseconds = "cancellation_date_ms"
    case cancellationDatePacific = "cancellation_date_pst"

    /// The required keys.
    static let indispensable: [PurchaseInformationKey] = [
        .quantity, .productIdentifier, .transactionIdentifier, .originalTransactionIdentifier, .purchaseDate,
        .bundleIdentifier,
    ]

    /// The text before the key's value: a tab, the key, and punctuation.
    @inline(__always)
    var opening: StaticString {
        switch self {
        case .quantity: "\t\"quantity\" = \""
        case .productIdentifier: "\t\"product-id\" = \""
        case .transactionIdentifier: "\t\"transaction-id\" = \""
        case .originalTransactionIdentifier: "\t\"original-transaction-id\" = \""
        case .purchaseDate: "\t\"purchase-date\" = \""
        case .purchaseDateMilliseconds: "\t\"purchase-date-ms\" = \""
        case .purchaseDatePacific: "\t\"purchase-date-pst\" = \""
        case .originalPurchaseDate: "\t\"original-purchase-date\" = \""
        case .originalPurchaseDateMilliseconds: "\t\"original-purchase-date-ms\" = \""
        case .originalPurchaseDatePacific: "\t\"original-purchase-date-pst\" = \""
        case .itemIdentifier: "\t\"item-id\" = \""
        case .bundleIdentifier: "\t\"bid\" = \""
        case .bundleVersion: "\t\"bvrs\" = \""
        case .uniqueIdentifier: "\t\"unique-identifier\" = \""
        case .uniqueVendorIdentifier: "\t\"unique-vendor-identifier\" = \""
        case .appItemIdentifier: "\t\"app-item-id\" = \""
        case .versionExternalIdentifier: "\t\"version-external-identifier\" = \""
        case .expiresDate: "\t\"expires-date\" = \""
        case .expiresDateFormatted: "\t\"expires-date-formatted\" = \""
        case .expiresDateFormattedPacific: "\t\"expires-date-formatted-pst\" = \""
        case .webOrderLineItemIdentifier: "\t\"web-order-line-item-id\" = \""
        case .isTrialPeriod: "\t\"is-trial-period\" = \""
        case .isInIntroductoryOfferPeriod: "\t\"is-in-intro-offer-period\" = \""
        case .promotionalOfferIdentifier: "\t\"promotional-offer-id\" = \""
        case .codeReferenceName: "\t\"offer-code-ref-name\" = \""
        case .applicationUsername: "\t\"application-username\" = \""
        case .cancellationDate: "\t\"cancellation-date\" = \""
        case .cancellationDateMilliseconds: "\t\"cancellation-date-ms\" = \""
        case .cancellationDatePacific: "\t\"cancellation-date-pst\" = \""
        }
    }
}

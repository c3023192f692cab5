import Foundation

/// The decoder of a transaction receipt's purchase information into the fields that verification reports.
enum PurchaseInformation {
    private typealias Key = PurchaseInformationKey

    private static let indispensableNames = Set(Key.indispensable.map(\.name))

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

    private static let indispensableBits = Key.indispensable.reduce(UInt32(0)) { $0 | bit(of: $1) }

    private static func bit(of key: Key) -> UInt32 { 1 << UInt32(key.rawValue) }

    /// Returns the fields of a text written by this library; nil for any other text, even if it is valid.
    private static func writtenFields(of text: UnsafeRawBufferPointer) -> [String: String]? {
        var reader = OldStylePropertyList.Reader(text)
        var present: UInt32 = 0
        var values: [String] = []
        values.reserveCapacity(Key.allCases.count)
        guard reader.skip("{\n") else { return nil }
        for key in Key.allCases where reader.skip(key.opening) {
            guard let value = reader.string(), reader.skip(";\n") else { return nil }
            present |= bit(of: key)
            values.append(value)
        }
        guard reader.skip("}"), reader.isAtEnd, present & indispensableBits == indispensableBits else { return nil }
        return places(of: present).mapValues { values[$0] }
    }

    private static func places(of present: UInt32) -> [String: Int] {
        let known = lastShape.withLock { $0.keys == present ? $0.places : nil }
        if let known { return known }
        let names = Key.allCases.filter { present & bit(of: $0) != 0 }.map(\.name)
        let places = Dictionary(uniqueKeysWithValues: zip(names, names.indices))
        lastShape.withLock { $0 = Shape(keys: present, places: places) }
        return places
    }
}

/// The keys of a transaction's receipt, in the order in which they are written.
///
/// The historical order, that of a hash table, had no meaning. This order is StoreCore's own and never changes.
enum PurchaseInformationKey: Int, CaseIterable {
    case quantity, productIdentifier, transactionIdentifier, originalTransactionIdentifier
    case purchaseDate, purchaseDateMilliseconds, purchaseDatePacific
    case originalPurchaseDate, originalPurchaseDateMilliseconds, originalPurchaseDatePacific
    case itemIdentifier, bundleIdentifier, bundleVersion
    case uniqueIdentifier, uniqueVendorIdentifier, appItemIdentifier, versionExternalIdentifier
    case expiresDate, expiresDateFormatted, expiresDateFormattedPacific
    case webOrderLineItemIdentifier, isTrialPeriod, isInIntroductoryOfferPeriod
    case promotionalOfferIdentifier, codeReferenceName, applicationUsername
    case cancellationDate, cancellationDateMilliseconds, cancellationDatePacific

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

    /// The key's name in verification responses, with underscores.
    var name: String {
        let key = opening.description.split(separator: "\"")[1]
        return String(key.map { $0 == "-" ? "_" : $0 })
    }
}

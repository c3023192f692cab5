/// The keys of a transaction's receipt, in the order in which they are written.
///
/// The historical order was that of a hash table and so had no meaning; this one is StoreCore's own and constant.
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

    /// The text in front of the value: the key and its punctuation.
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

    /// The key's name in verification, with underscores.
    var name: String {
        let key = opening.description.split(separator: "\"")[1]
        return String(key.map { $0 == "-" ? "_" : $0 })
    }
}

import StoreKit

/// Something that can be bought.
public struct Item: Sendable, Identifiable {
    /// What the store calls it.
    public let id: String
    /// What the user calls it.
    public let title: String
    /// What it costs, as the user's country writes it.
    public let displayPrice: String

    init(_ product: SKProduct) {
        id = product.productIdentifier
        title = product.localizedTitle
        let style = Decimal.FormatStyle.Currency(
            code: product.priceLocale.currency?.identifier ?? "USD",
            locale: product.priceLocale
        )
        displayPrice = product.price.decimalValue.formatted(style)
    }
}

/// Something that was bought.
public struct Purchase: Sendable, Equatable {
    /// What was bought.
    public let item: String
    /// How many.
    public let quantity: Int
    /// Under which number.
    public let transaction: String

    init(_ transaction: SKPaymentTransaction) {
        item = transaction.payment.productIdentifier
        quantity = transaction.payment.quantity
        self.transaction = transaction.transactionIdentifier ?? ""
    }
}

/// How buying went; what went wrong is thrown.
public enum Outcome: Sendable, Equatable {
    /// It is there.
    case bought(Purchase)
    /// Somebody has to approve of it; if they do, it comes as an update.
    case pending
    /// The user changed their mind.
    case cancelled
}

/// What happens by itself.
public enum Update: Sendable, Equatable {
    /// A renewal, an approval, a purchase on another device.
    case bought(Purchase)
    /// These were paid back.
    case refunded([String])
    /// The user is in another country now, where prices differ.
    case moved(country: String)
}

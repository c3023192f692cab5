import Foundation

/// One period of an auto-renewable subscription, paid for at its beginning.
///
/// It holds all that the next one is computed from. A reference, because events are handed about.
final class SubscriptionTerm: Hashable, Codable, Sendable {
    /// The product's number in the catalogue.
    let product: Int
    let start: Date
    /// The first moment that is not paid for.
    let end: Date
    /// The length of the product's periods when this one began.
    let period: StoreProduct.Period
    /// From when periods are counted, and how many end with this one: the day of the month outlives February.
    let anchor: Date
    let index: Int
    /// The introductory offer that this period is under.
    let offer: Offer?
    /// The transaction that the subscription began with.
    let original: Int
    let originalDate: Date

    struct Offer: Hashable, Codable, Sendable {
        let mode: StoreProduct.Offer.PaymentMode
        let price: Decimal
        let period: StoreProduct.Period
        /// How many more periods are under it.
        let remaining: Int
    }

    init(
        product: Int,
        start: Date,
        end: Date,
        period: StoreProduct.Period,
        anchor: Date,
        index: Int,
        offer: Offer?,
        original: Int,
        originalDate: Date
    ) {
        self.product = product
        self.start = start
        self.end = end
        self.period = period
        self.anchor = anchor
        self.index = index
        self.offer = offer
        self.original = original
        self.originalDate = originalDate
    }

    static func == (left: SubscriptionTerm, right: SubscriptionTerm) -> Bool {
        left === right
            || (left.product == right.product && left.start == right.start && left.end == right.end
                && left.period == right.period && left.anchor == right.anchor && left.index == right.index
                && left.offer == right.offer && left.original == right.original
                && left.originalDate == right.originalDate)
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(original)
        hasher.combine(start)
    }
}

/// What a purchase of an auto-renewable product does to the account's subscription in its group.
enum SubscriptionChange: Hashable, Codable, Sendable {
    /// There was none, or it had ended, or the new one takes its place at once.
    case begins(SubscriptionTerm)
    /// The running period goes on, and then renews as this product.
    case renewsAs(product: Int, SubscriptionTerm)

    /// The period that the purchase belongs to.
    var term: SubscriptionTerm {
        switch self {
        case .begins(let term), .renewsAs(_, let term): term
        }
    }
}

/// Why a subscription ended.
public enum SubscriptionEnd: String, Hashable, Codable, Sendable {
    /// The user had turned renewal off.
    case autoRenewDisabled
    /// What it renews as is not on sale any more.
    case productUnavailable
}

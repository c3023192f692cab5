// Enumerations that later versions of Store Kit may extend. In Objective-C they are open; these are as open as Swift allows.
// Each has an unavailable case that no code can name or create. Without it, the compiler would report a `default` after all
// other cases as never executed. They are not C enumerations: only targets that depend on a C module of the package see it,
// and any other target in the same graph that wrote `#if canImport(StoreKit)` failed to build.

/// The state of a payment transaction.
///
/// Later versions may add states: a `switch` needs `@unknown default`.
@nonexhaustive(warn)
public enum SKPaymentTransactionState: Int, Sendable {
    /// The store is processing the payment.
    case purchasing = 0
    /// Paid for: the app should deliver, then finish the transaction.
    case purchased = 1
    /// Refused, see ``SKPaymentTransaction/error``.
    case failed = 2
    /// Restores an earlier purchase, see ``SKPaymentTransaction/original``.
    case restored = 3
    /// Waits for another person's decision, such as a parent's.
    case deferred = 4
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The units in which a subscription counts time.
///
/// Later versions may add units.
@nonexhaustive(warn)
public enum SKProductPeriodUnit: UInt, Sendable {
    /// A day.
    case day = 0
    /// A week of seven days.
    case week = 1
    /// A month of the calendar.
    case month = 2
    /// A year of the calendar.
    case year = 3
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The ways in which a reduced price is paid.
///
/// Later versions may add ways.
@nonexhaustive(warn)
public enum SKProductDiscountPaymentMode: UInt, Sendable {
    /// The price, every period.
    case payAsYouGo = 0
    /// The price, once.
    case payUpFront = 1
    /// Nothing; the price is 0.
    case freeTrial = 2
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

/// The kinds of users that an offer is for.
///
/// Later versions may add kinds.
@nonexhaustive(warn)
public enum SKProductDiscountType: UInt, Sendable {
    /// For users who subscribe for the first time.
    case introductory = 0
    /// A promotional offer, for users who subscribe or have subscribed.
    case subscription = 1
    /// Reserved for cases of later versions; never a value.
    @available(*, unavailable) case _later = 999
}

extension SKProduct {
    /// The units in which a subscription counts time.
    public typealias PeriodUnit = SKProductPeriodUnit
}

extension SKProductDiscount {
    /// The ways in which a reduced price is paid.
    public typealias PaymentMode = SKProductDiscountPaymentMode
    /// The kinds of users that an offer is for.
    public typealias `Type` = SKProductDiscountType
}

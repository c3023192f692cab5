// Enumerations that later versions of Store Kit may extend. In Objective-C they are open; these are as open as Swift
// allows.
//
// Each has an unavailable case that no code can name or create. Without it, the compiler would report a `default` after
// all other cases as never executed. The enumerations are not declared in C, because only targets that depend on a
// package's C module can import it. Other targets in the same package graph failed to build if they tested
// `canImport(StoreKit)`.

/// The state of a payment transaction.
///
/// Later versions may add states: a `switch` needs `@unknown default`.
@nonexhaustive(warn)
public enum SKPaymentTransactionState: Int, Sendable {
    /// The store is processing the payment.
    case purchasing = 0
    /// The product is paid for: the app should deliver it, then finish the transaction.
    case purchased = 1
    /// The payment was refused or has failed, see ``SKPaymentTransaction/error``.
    case failed = 2
    /// An earlier purchase was restored, see ``SKPaymentTransaction/original``.
    case restored = 3
    /// The payment awaits another person's decision, such as a parent's.
    case deferred = 4
    /// A placeholder that no transaction has.
    @available(*, unavailable) case _later = 999
}

/// The units of a subscription's period.
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
    /// A placeholder that no period has.
    @available(*, unavailable) case _later = 999
}

/// The ways in which a reduced price is paid.
///
/// Later versions may add ways.
@nonexhaustive(warn)
public enum SKProductDiscountPaymentMode: UInt, Sendable {
    /// The reduced price is paid every period.
    case payAsYouGo = 0
    /// The reduced price is paid once, for all periods.
    case payUpFront = 1
    /// Nothing is paid; the price is 0.
    case freeTrial = 2
    /// A placeholder that no offer has.
    @available(*, unavailable) case _later = 999
}

/// The kinds of users for whom an offer is intended.
///
/// Later versions may add kinds.
@nonexhaustive(warn)
public enum SKProductDiscountType: UInt, Sendable {
    /// For users who subscribe for the first time.
    case introductory = 0
    /// A promotional offer, for users who subscribe or have subscribed.
    case subscription = 1
    /// A placeholder that no offer has.
    @available(*, unavailable) case _later = 999
}

extension SKProduct {
    /// The units of a subscription's period.
    public typealias PeriodUnit = SKProductPeriodUnit
}

extension SKProductDiscount {
    /// The ways in which a reduced price is paid.
    public typealias PaymentMode = SKProductDiscountPaymentMode
    /// The kinds of users for whom an offer is intended.
    public typealias `Type` = SKProductDiscountType
}

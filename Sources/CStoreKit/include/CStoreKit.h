#ifndef CSTOREKIT_H
#define CSTOREKIT_H

// Swift's Int and UInt.
#ifdef _WIN64
#include <stdint.h>
#define INTEGER intptr_t
#define UNSIGNED uintptr_t
#else
#define INTEGER long
#define UNSIGNED unsigned long
#endif

// Store Kit's enumerations that later versions may add to. C's are open, as Objective-C's are: a number without a case is a value
// too, and the compiler does not say of a `default` after all cases that it is never executed.
#define OPEN __attribute__((enum_extensibility(open)))

/// What has become of a payment.
///
/// Later versions may add states: a `switch` needs `@unknown default`.
typedef enum OPEN SKPaymentTransactionState : INTEGER {
    /// The store is working on it.
    SKPaymentTransactionStatePurchasing = 0,
    /// Paid for: the app should deliver, then finish the transaction.
    SKPaymentTransactionStatePurchased = 1,
    /// Refused, see ``SKPaymentTransaction/error``.
    SKPaymentTransactionStateFailed = 2,
    /// Brings back something bought earlier, see ``SKPaymentTransaction/original``.
    SKPaymentTransactionStateRestored = 3,
    /// Waits for somebody else's decision, such as a parent's.
    SKPaymentTransactionStateDeferred = 4,
} SKPaymentTransactionState;

/// The units in which a subscription counts time.
///
/// Swift code calls it ``SKProduct/PeriodUnit``. Later versions may add units.
typedef enum OPEN SKProductPeriodUnit : UNSIGNED {
    /// A day.
    SKProductPeriodUnitDay = 0,
    /// A week of seven days.
    SKProductPeriodUnitWeek = 1,
    /// A month of the calendar.
    SKProductPeriodUnitMonth = 2,
    /// A year of the calendar.
    SKProductPeriodUnitYear = 3,
} SKProductPeriodUnit;

/// The ways in which a reduced price is paid.
///
/// Swift code calls it ``SKProductDiscount/PaymentMode``. Later versions may add ways.
typedef enum OPEN SKProductDiscountPaymentMode : UNSIGNED {
    /// The price, every period.
    SKProductDiscountPaymentModePayAsYouGo = 0,
    /// The price, once.
    SKProductDiscountPaymentModePayUpFront = 1,
    /// Nothing; the price is 0.
    SKProductDiscountPaymentModeFreeTrial = 2,
} SKProductDiscountPaymentMode;

/// The kinds of users that an offer is for.
///
/// Swift code calls it `SKProductDiscount.Type`, in backticks. Later versions may add kinds.
typedef enum OPEN SKProductDiscountType : UNSIGNED {
    /// For users who subscribe for the first time.
    SKProductDiscountTypeIntroductory = 0,
    /// A promotional offer, for users who subscribe or have subscribed.
    SKProductDiscountTypeSubscription = 1,
} SKProductDiscountType;

/// The numbers of Store Kit's errors.
///
/// Swift code calls it ``SKError/Code``. Later versions may add codes: a `switch` needs `@unknown default`. Not every code can
/// come from a store that sells; those about cloud services and overlays belong to parts of Store Kit that are not offered here,
/// and stand for code that names them.
typedef enum OPEN SKErrorCode : INTEGER {
    /// Something unexpected happened.
    SKErrorUnknown = 0,
    /// The app may not do what it tried.
    SKErrorClientInvalid = 1,
    /// The user canceled.
    SKErrorPaymentCancelled = 2,
    /// The store did not recognize something in the payment.
    SKErrorPaymentInvalid = 3,
    /// The user may not authorize payments.
    SKErrorPaymentNotAllowed = 4,
    /// The product is not sold in the user's country.
    SKErrorStoreProductNotAvailable = 5,
    /// The user refused access to cloud information.
    SKErrorCloudServicePermissionDenied = 6,
    /// The device could not reach the cloud service.
    SKErrorCloudServiceNetworkConnectionFailed = 7,
    /// The user took back a permission given earlier.
    SKErrorCloudServiceRevoked = 8,
    /// The user has not yet agreed to the store's privacy text.
    SKErrorPrivacyAcknowledgementRequired = 9,
    /// The payment carries request data, and the app is not entitled to send any.
    SKErrorUnauthorizedRequestData = 10,
    /// The promotional offer is unknown, or has been withdrawn.
    SKErrorInvalidOfferIdentifier = 11,
    /// The promotional offer's signature does not match the payment.
    SKErrorInvalidSignature = 12,
    /// The promotional offer is incomplete.
    SKErrorMissingOfferParams = 13,
    /// The promotional offer is no longer below the product's price.
    SKErrorInvalidOfferPrice = 14,
    /// An overlay was dismissed before it appeared.
    SKErrorOverlayCancelled = 15,
    /// An overlay's configuration cannot be used.
    SKErrorOverlayInvalidConfiguration = 16,
    /// An overlay took too long to load.
    SKErrorOverlayTimeout = 17,
    /// The user may not have this offer.
    SKErrorIneligibleForOffer = 18,
    /// The platform does not offer what was asked for.
    SKErrorUnsupportedPlatform = 19,
    /// An overlay was presented by a scene in the background.
    SKErrorOverlayPresentedInBackgroundScene = 20,
} SKErrorCode;

#undef OPEN
#undef INTEGER
#undef UNSIGNED

#endif

import StoreKit

// Each open enumeration takes `@unknown default` without a warning, and a plain `default` beside all its cases; each closed one
// needs none.

func name(_ state: SKPaymentTransactionState) -> String {
    switch state {
    case .purchasing: "purchasing"
    case .purchased: "purchased"
    case .failed: "failed"
    case .restored: "restored"
    case .deferred: "deferred"
    @unknown default: "new"
    }
}

func name(_ unit: SKProduct.PeriodUnit) -> String {
    switch unit {
    case .day: "day"
    case .week: "week"
    case .month: "month"
    case .year: "year"
    @unknown default: "new"
    }
}

func name(_ mode: SKProductDiscount.PaymentMode) -> String {
    switch mode {
    case .payAsYouGo: "pay as you go"
    case .payUpFront: "pay up front"
    case .freeTrial: "free trial"
    @unknown default: "new"
    }
}

func name(_ type: SKProductDiscount.`Type`) -> String {
    switch type {
    case .introductory: "introductory"
    case .subscription: "subscription"
    @unknown default: "new"
    }
}

func name(_ code: SKError.Code) -> String {
    switch code {
    case .unknown: "unknown"
    case .clientInvalid: "client invalid"
    case .paymentCancelled: "payment cancelled"
    case .paymentInvalid: "payment invalid"
    case .paymentNotAllowed: "payment not allowed"
    case .storeProductNotAvailable: "store product not available"
    case .cloudServicePermissionDenied: "cloud service permission denied"
    case .cloudServiceNetworkConnectionFailed: "cloud service network connection failed"
    case .cloudServiceRevoked: "cloud service revoked"
    case .privacyAcknowledgementRequired: "privacy acknowledgement required"
    case .unauthorizedRequestData: "unauthorized request data"
    case .invalidOfferIdentifier: "invalid offer identifier"
    case .invalidSignature: "invalid signature"
    case .missingOfferParams: "missing offer params"
    case .invalidOfferPrice: "invalid offer price"
    case .overlayCancelled: "overlay cancelled"
    case .overlayInvalidConfiguration: "overlay invalid configuration"
    case .overlayTimeout: "overlay timeout"
    case .ineligibleForOffer: "ineligible for offer"
    case .unsupportedPlatform: "unsupported platform"
    case .overlayPresentedInBackgroundScene: "overlay presented in background scene"
    case .paymentMethodBindingConfigurationRequired: "payment method binding configuration required"
    @unknown default: "new"
    }
}

func name(_ state: SKDownloadState) -> String {
    switch state {
    case .waiting: "waiting"
    case .active: "active"
    case .paused: "paused"
    case .finished: "finished"
    case .failed: "failed"
    case .cancelled: "cancelled"
    }
}

func name(_ visibility: SKProductStorePromotionVisibility) -> String {
    switch visibility {
    case .default: "default"
    case .show: "show"
    case .hide: "hide"
    }
}

func isPaid(_ state: SKPaymentTransactionState) -> Bool {
    switch state {
    case .purchased, .restored: true
    case .purchasing, .failed, .deferred: false
    default: false
    }
}

func months(_ unit: SKProduct.PeriodUnit) -> Int {
    switch unit {
    case .month: 1
    case .year: 12
    case .day, .week: 0
    default: 0
    }
}

func isPaidAtOnce(_ mode: SKProductDiscount.PaymentMode) -> Bool {
    switch mode {
    case .payUpFront: true
    case .payAsYouGo, .freeTrial: false
    default: false
    }
}

func isForEverybody(_ type: SKProductDiscount.`Type`) -> Bool {
    switch type {
    case .introductory: true
    case .subscription: false
    default: false
    }
}

func useRawValues() {
    let _: (SKPaymentTransactionState?, Int) = (.init(rawValue: 4), SKPaymentTransactionState.deferred.rawValue)
    let _: (SKProduct.PeriodUnit?, UInt) = (.init(rawValue: 3), SKProduct.PeriodUnit.year.rawValue)
    let _: (SKProductDiscount.PaymentMode?, UInt) = (
        .init(rawValue: 2), SKProductDiscount.PaymentMode.freeTrial.rawValue
    )
    // `SKProductDiscount.`Type`` is the metatype in an expression and the enumeration only where a type is written.
    let promotional: SKProductDiscount.`Type` = .subscription
    let introductory: SKProductDiscount.`Type`? = .init(rawValue: promotional.rawValue - 1)
    let _: (SKDownloadState?, Int) = (.init(rawValue: 5), SKDownloadState.cancelled.rawValue)
    let _: (SKProductStorePromotionVisibility?, Int) = (
        .init(rawValue: 2), SKProductStorePromotionVisibility.hide.rawValue
    )
    let _: (SKError.Code?, Int) = (.init(rawValue: 18), SKError.Code.ineligibleForOffer.rawValue)
    let _: [any Hashable & Sendable] = [
        SKPaymentTransactionState.purchased, SKProduct.PeriodUnit.day, SKProductDiscount.PaymentMode.payUpFront,
        promotional, introductory, SKDownloadState.active, SKProductStorePromotionVisibility.show,
        SKError.Code.unknown,
    ]
    let _: [SKPaymentTransactionState] = [
        SKPaymentTransactionStatePurchasing, SKPaymentTransactionStatePurchased, SKPaymentTransactionStateFailed,
        SKPaymentTransactionStateRestored,
    ]
    let _: [SKErrorCode] = [
        SKErrorUnknown, SKErrorClientInvalid, SKErrorPaymentCancelled, SKErrorPaymentInvalid, SKErrorPaymentNotAllowed,
    ]
    let _: [StoreKit.SKPaymentTransactionState: String] = [.purchased: "\(SKPaymentTransactionState.purchased)"]
}

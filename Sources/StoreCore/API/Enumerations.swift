import Foundation

// Declared in C, which has open enumerations; they belong here all the same.
@_exported import enum CStoreKit.SKErrorCode
@_exported import enum CStoreKit.SKPaymentTransactionState
@_exported import enum CStoreKit.SKProductDiscountPaymentMode
@_exported import enum CStoreKit.SKProductDiscountType
@_exported import enum CStoreKit.SKProductPeriodUnit

extension SKError {
    /// The numbers of Store Kit's errors.
    public typealias Code = SKErrorCode
}

extension SKErrorCode: @retroactive _ErrorCodeProtocol {
    /// The error that belongs to these codes.
    public typealias _ErrorType = SKError
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

// The module `StoreKit` for platforms without Apple's. It exports Store Kit's names one by one, so that StoreCore's own
// names do not collide with another module's; `.ci/surface-check` compares the list with StoreCore's declarations.
// Clients rely on Foundation (and on FoundationNetworking where it is a module of its own) being exported too.
@_exported import Foundation

@_exported import class StoreCore.SKDownload
@_exported import enum StoreCore.SKDownloadState
@_exported import let StoreCore.SKDownloadTimeRemainingUnknown
@_exported import struct StoreCore.SKError
@_exported import let StoreCore.SKErrorClientInvalid
@_exported import enum StoreCore.SKErrorCode
@_exported import let StoreCore.SKErrorDomain
@_exported import let StoreCore.SKErrorPaymentCancelled
@_exported import let StoreCore.SKErrorPaymentInvalid
@_exported import let StoreCore.SKErrorPaymentNotAllowed
@_exported import let StoreCore.SKErrorUnknown
@_exported import class StoreCore.SKMutablePayment
@_exported import class StoreCore.SKPayment
@_exported import class StoreCore.SKPaymentDiscount
@_exported import class StoreCore.SKPaymentQueue
@_exported import protocol StoreCore.SKPaymentQueueDelegate
@_exported import class StoreCore.SKPaymentTransaction
@_exported import protocol StoreCore.SKPaymentTransactionObserver
@_exported import enum StoreCore.SKPaymentTransactionState
@_exported import let StoreCore.SKPaymentTransactionStateFailed
@_exported import let StoreCore.SKPaymentTransactionStatePurchased
@_exported import let StoreCore.SKPaymentTransactionStatePurchasing
@_exported import let StoreCore.SKPaymentTransactionStateRestored
@_exported import class StoreCore.SKProduct
@_exported import class StoreCore.SKProductDiscount
@_exported import enum StoreCore.SKProductDiscountPaymentMode
@_exported import enum StoreCore.SKProductDiscountType
@_exported import enum StoreCore.SKProductPeriodUnit
@_exported import class StoreCore.SKProductStorePromotionController
@_exported import enum StoreCore.SKProductStorePromotionVisibility
@_exported import class StoreCore.SKProductSubscriptionPeriod
@_exported import class StoreCore.SKProductsRequest
@_exported import protocol StoreCore.SKProductsRequestDelegate
@_exported import class StoreCore.SKProductsResponse
@_exported import let StoreCore.SKReceiptPropertyIsExpired
@_exported import let StoreCore.SKReceiptPropertyIsRevoked
@_exported import let StoreCore.SKReceiptPropertyIsVolumePurchase
@_exported import class StoreCore.SKReceiptRefreshRequest
@_exported import class StoreCore.SKRequest
@_exported import protocol StoreCore.SKRequestDelegate
@_exported import class StoreCore.SKStoreReviewController
@_exported import class StoreCore.SKStorefront
@_exported import func StoreCore.SKTerminateForInvalidReceipt

#if canImport(FoundationNetworking)
    @_exported import FoundationNetworking
#endif

#if canImport(Darwin)
    #error("this platform has a StoreKit of its own: depend on ours with .when(platforms: [.linux])")
#endif

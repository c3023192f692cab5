import StoreKit

func canBuy() -> Bool { SKPaymentQueue.canMakePayments() }

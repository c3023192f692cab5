#if canImport(StoreKit)
    import StoreKit

    func canBuy() -> Bool { SKPaymentQueue.canMakePayments() }
#endif

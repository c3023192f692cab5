import StoreKit

#if !canImport(Darwin)
    extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
#endif

import StoreKit

#if !canImport(Darwin)
    import StoreCore
    extension Bundle { var appStoreReceiptURL: URL? { StoreContext.current.appReceiptURL } }
#endif

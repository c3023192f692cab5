// The module `StoreKitTest` for platforms without Apple's. Clients rely on Store Kit being exported too.
@_exported import StoreKit

// `import StoreKit` where the platform has no StoreKit of its own. Clients rely on Foundation (and, away from Apple's
// platforms, FoundationNetworking) arriving with it.
#if !canImport(Darwin)
    @_exported import Foundation
    @_exported import FoundationNetworking
    @_exported import StoreCore
#else
    @_exported import Foundation
    @_exported import StoreCore
#endif

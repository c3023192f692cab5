// `import StoreKitTest` where the platform has none of its own. Clients rely on Store Kit being exported with it.
@_exported import StoreKit

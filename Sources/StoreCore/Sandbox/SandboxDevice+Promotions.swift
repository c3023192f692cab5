import Foundation

// The store's own page on a device, where a user begins a purchase outside the app (behaviors 173 to 175).
extension SandboxDevice {
    /// The products that the store promotes on this device, in its order: all on sale, the first registered first, with
    /// the app's changes by ``SKProductStorePromotionController``.
    public var promotedProducts: [String] {
        core.look { shell, now in shell.state.promotedProducts(on: number, at: now) }
    }

    /// Begins a purchase on the store's own page, as the device's user.
    ///
    /// The app's observers are asked whether it continues, see
    /// ``SKPaymentTransactionObserver/paymentQueue(_:shouldAddStorePayment:for:)``: at once, or at the app's next
    /// launch. Nothing is charged before one of them accepts it, or the app adds the payment later.
    ///
    /// - Parameter productIdentifier: one of the ``promotedProducts``.
    /// - Throws: ``SandboxError/notPromoted(_:)`` for any other, and the ledger's errors.
    public func promote(_ productIdentifier: String) throws {
        try core.change { state, events, now in
            guard state.promotedProducts(on: number, at: now).contains(where: productIdentifier.isExactly) else {
                throw SandboxError.notPromoted(productIdentifier)
            }
            events.append(LedgerRecord(date: now, event: .operator(.promoted(device: number, productIdentifier))))
        }
    }

    /// Begins a purchase from a link, whether or not the product is hidden on the store's page.
    ///
    /// - Parameter url: a URL with the scheme `itms-services`, the action `purchaseIntent`, the app's bundle identifier
    ///   and a product on sale.
    /// - Throws: ``SandboxError/notPurchaseIntent(_:)`` with a reason for any other, and the ledger's errors.
    public func openPurchaseIntent(url: URL) throws {
        let product = try PurchaseIntent(url, bundleIdentifier: core.bundleIdentifier).productIdentifier
        try core.change { state, events, now in
            if let reason = state.catalog.refusal(of: product, at: now) {
                throw SandboxError.notPurchaseIntent(reason)
            }
            events.append(LedgerRecord(date: now, event: .operator(.promoted(device: number, product))))
        }
    }
}

/// The content of a link that begins a purchase.
private struct PurchaseIntent {
    let productIdentifier: String

    init(_ url: URL, bundleIdentifier: String) throws(SandboxError) {
        let parts = URLComponents(url: url, resolvingAgainstBaseURL: false)
        let items = parts?.queryItems ?? []
        func value(_ names: String...) -> String? { items.first { names.contains($0.name) }?.value }
        guard parts?.scheme?.lowercased() == "itms-services" else {
            throw .notPurchaseIntent("its scheme is \(parts?.scheme ?? "missing")")
        }
        guard value("action") == "purchaseIntent" else {
            throw .notPurchaseIntent("its action is \(value("action") ?? "missing")")
        }
        guard value("bundleId", "bundleIdentifier") == bundleIdentifier else {
            throw .notPurchaseIntent("it is for another app than \(bundleIdentifier)")
        }
        guard let product = value("productIdentifier", "productId") else {
            throw .notPurchaseIntent("it names no product")
        }
        productIdentifier = product
    }
}

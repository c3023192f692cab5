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

    /// The app's changes to how the store promotes products on this device.
    public var promotionOverrides: PromotionOverrides? {
        core.look { shell, _ in shell.state.operatorState.promotionOverrides[number] ?? PromotionOverrides() }
    }

    /// Changes how the store promotes products on this device.
    ///
    /// Replies before it returns, with a failure if the ledger fails or the device cannot reach the store.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        CallScope.outermost { reply(core.changePromotion(change, on: number)) }
    }

    /// Acknowledges the purchases that the device's user began on the store's page and of which the app was told.
    public func acknowledge(through cursor: UpdateCursor) { core.acknowledge(through: cursor, on: number) }
}

extension SandboxStore {
    /// The app's changes to how the store promotes products on the first device.
    public var promotionOverrides: PromotionOverrides? { device.promotionOverrides }

    /// Changes how the store promotes products on the first device; see ``SandboxDevice/changePromotion(_:reply:)``.
    public func changePromotion(_ change: PromotionChange, reply: @escaping @Sendable (StoreFailure?) -> Void) {
        device.changePromotion(change, reply: reply)
    }

    /// Acknowledges the purchases begun on the first device's page of the store of which the app was told.
    public func acknowledge(through cursor: UpdateCursor) { core.acknowledge(through: cursor, on: 0) }
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

import StoreCore

extension Product {
    /// A product that the app has placed on the store's page on this device, and its visibility there.
    ///
    /// The page shows products that the user may buy outside the app, see ``PurchaseIntent``. The changes of an app
    /// apply to one device. They are the same as those of Store Kit 1's `SKProductStorePromotionController`: what one
    /// sets, the other reads.
    ///
    /// An app places products with ``updateProductOrder(byID:)``, and reads them in ``currentOrder``.
    public struct PromotionInfo: Equatable {
        /// The visibility of a product on the store's page.
        public enum Visibility: Int, Equatable, Hashable {
            /// The store's setting applies.
            case appStoreConnectDefault
            /// The page shows the product.
            case visible
            /// The page does not show the product.
            case hidden
        }

        /// The product's identifier.
        public let productID: Product.ID
        /// The product's visibility; a new value applies once ``update()`` or ``updateAll(_:)`` has saved it.
        public var visibility: Visibility
    }
}

extension Product.PromotionInfo {
    /// The products that the app has placed before all others, in order; none if the store's order applies.
    nonisolated(nonsending) public static var currentOrder: [Product.PromotionInfo] {
        get async throws {
            let overrides = StoreKit2Driver.current.promotionOverrides
            return overrides.order.map { identifier in
                let visibility = overrides.visibility[identifier].map { $0 ? Visibility.visible : .hidden }
                return Product.PromotionInfo(productID: identifier, visibility: visibility ?? .appStoreConnectDefault)
            }
        }
    }

    /// Saves the product's visibility.
    ///
    /// - Throws: a ``StoreKitError`` if the store does not save it.
    nonisolated(nonsending) public func update() async throws {
        try await Self.updateProductVisibility(visibility, for: productID)
    }

    /// Changes a product's visibility.
    ///
    /// - Parameters:
    ///   - visibility: the new visibility.
    ///   - productID: the product's identifier.
    /// - Throws: a ``StoreKitError`` if the store does not save it.
    nonisolated(nonsending) public static func updateProductVisibility(
        _ visibility: Product.PromotionInfo.Visibility,
        for productID: Product.ID
    ) async throws {
        let change = PromotionChange.visibility(productIdentifier: productID, isShown: visibility.isShown)
        try await StoreKit2Driver.current.changePromotion(change)
    }

    /// Shows products in this order, and hides all others.
    ///
    /// Products in the order retain their visibility. Products that are left out are hidden until the app shows them.
    ///
    /// - Parameter order: the products' identifiers; an empty collection restores the store's order and visibility.
    /// - Throws: a ``StoreKitError`` if the store does not save it.
    nonisolated(nonsending) public static func updateProductOrder(byID order: some Collection<String>) async throws {
        try await StoreKit2Driver.current.changePromotion(.only(Array(order), visibility: nil))
    }

    /// Replaces all of the app's changes: shows products in this order with their visibility, and hides all others.
    ///
    /// - Parameter promotions: the products; an empty collection restores the store's order and visibility. The last of
    ///   several for one product determines its visibility.
    /// - Throws: a ``StoreKitError`` if the store does not save it.
    nonisolated(nonsending) public static func updateAll(
        _ promotions: some Collection<Product.PromotionInfo>
    ) async throws {
        var visibility: [String: Bool] = [:]
        for promotion in promotions { visibility[promotion.productID] = promotion.visibility.isShown }
        let change = PromotionChange.only(promotions.map(\.productID), visibility: visibility)
        try await StoreKit2Driver.current.changePromotion(change)
    }
}

extension Product.PromotionInfo.Visibility {
    /// Whether the product is shown; nil if the store's setting applies.
    fileprivate var isShown: Bool? { self == .appStoreConnectDefault ? nil : self == .visible }
}

import Foundation
import StoreCore

/// What a store's services answer at once on a device.
package struct DeviceStatus: Hashable, Codable, Sendable {
    package var canMakePayments: Bool
    package var storefront: StoreStorefront?
    package var promotionOverrides: PromotionOverrides
    package var isPriceConsentPending: Bool
    package var deviceVerificationID: UUID?

    package init(
        canMakePayments: Bool = true,
        storefront: StoreStorefront? = nil,
        promotionOverrides: PromotionOverrides = PromotionOverrides(),
        isPriceConsentPending: Bool = false,
        deviceVerificationID: UUID? = nil
    ) {
        self.canMakePayments = canMakePayments
        self.storefront = storefront
        self.promotionOverrides = promotionOverrides
        self.isPriceConsentPending = isPriceConsentPending
        self.deviceVerificationID = deviceVerificationID
    }
}

/// The present app receipt, nil where there is none.
package struct ReceiptUpdate: Hashable, Codable, Sendable {
    package var receipt: Data?
    /// The ledger's position as of which it is.
    package var position: Int?

    package init(_ receipt: Data?, position: Int? = nil) { (self.receipt, self.position) = (receipt, position) }
}

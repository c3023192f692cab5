/// The action of a device's user in the sheet for offer codes.
public enum CodeEntry: Hashable, Sendable {
    /// Closes the sheet, with no effect.
    case cancel
    /// Enters a code, which is redeemed at once.
    ///
    /// A code is the identifier of its offer, which is the reference name in Xcode's StoreKit configuration file. If
    /// several products have an offer with the same code, the first registered one is bought, unless
    /// `productIdentifier` names another.
    case redeem(code: String, productIdentifier: String? = nil)
}

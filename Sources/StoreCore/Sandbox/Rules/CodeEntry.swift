import Foundation

/// The action of a device's user in the sheet for offer codes.
public enum CodeEntry: Hashable, Sendable {
    /// Closes the sheet, with no effect.
    case cancel
    /// Enters a code.
    ///
    /// A code is the identifier of the offer behind it, which is its reference name in Xcode's file. Where several
    /// products have an offer behind the same code, the first registered one is bought, unless another is named.
    case redeem(code: String, productIdentifier: String? = nil)
}

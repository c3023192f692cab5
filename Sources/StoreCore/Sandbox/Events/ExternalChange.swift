import Foundation

/// A change about purchases outside of the store, and about payment methods from outside.
enum ExternalChange: Hashable, Codable, Sendable {
    /// A token was made for an account, on a device.
    case tokenMade(account: AccountID, device: DeviceID, ExternalPurchaseToken)
    /// A device opened a link outside of the app.
    case linkOpened(device: DeviceID, URL)
    /// A server reported on a token.
    case reported(ExternalReport)
    /// Servers were reminded of an active token, given by its identifier.
    case reminded(token: String)
    /// Servers were told of a token without a report, given by its identifier.
    case unreported(token: String)
    /// An account added a payment method, given by the server's identifier.
    case paymentMethodBound(account: AccountID, identifier: String)
}

import Foundation

/// The page that a subscriber sees who is about to cancel a subscription.
///
/// ``SandboxAccount/viewCancellation(inGroup:locale:)`` returns it, as of that moment.
public struct CancellationPage: Hashable, Sendable {
    /// The origin of a message.
    public enum Source: String, Hashable, Sendable {
        /// The app's server chose the message.
        case server
        /// The message is the default one for the product and the language.
        case defaultMessage = "default"
        /// There is no message.
        case none
    }

    /// Something that the page offers instead of the cancellation.
    public enum Offer: Hashable, Sendable {
        /// Another product of the group, by its identifier.
        case product(String)
        /// A promotional offer, by its identifier, of a product of the group.
        case promotionalOffer(String, productIdentifier: String)
    }

    /// The subscription's group.
    package let groupIdentifier: String
    /// The identifier of the subscription's product.
    public let productIdentifier: String
    /// The customer's language, as in `en-US`.
    package let locale: String
    /// The identifier of the request to the app's server; nil if it was not asked.
    package let request: UUID?
    /// The message; nil for none.
    public internal(set) var message: RetentionMessage?
    /// The origin of the message.
    public internal(set) var source = Source.none
    /// The offer that comes with the message; nil for none.
    public internal(set) var offer: Offer?
    /// The reason why the server's choice is not shown, in a sentence; nil if it is shown, or if no server was to
    /// choose.
    public internal(set) var refusal: String?
    /// The payment by which the customer accepts the offer.
    var payment: StorePayment?
}

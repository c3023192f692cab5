import Foundation

/// The outcome of extending the renewal dates of all subscribers of a product.
package struct ServerMassExtension: Hashable, Sendable {
    /// The identifier that the server gave the request.
    package let requestIdentifier: String
    /// Whether all of it is done, which it always is: the store does it at once.
    package let isComplete: Bool
    /// The date at which it was done.
    package let completeDate: Date
    /// The number of extended subscriptions.
    package let succeededCount: Int
    /// The number of subscriptions that could not be extended.
    package let failedCount: Int
}

import StoreKit

/// What a purchase comes to.
public enum Sale: Equatable, Sendable { case sold, waiting, cancelled }

/// A way to buy, whichever Store Kit there is.
public protocol Till: Sendable {
    /// The products that came without being waited for.
    var deliveries: AsyncStream<String> { get }

    /// Buys one of a product.
    func buy(_ product: String) async throws -> Sale
}

import StoreCore

/// A purchase that the user began outside the app, in the store.
///
/// The app completes the purchase with ``Product/purchase(options:)``. An app receives such purchases either here or
/// through Store Kit 1's `paymentQueue(_:shouldAddStorePayment:for:)`, not both.
public struct PurchaseIntent: Identifiable, Equatable, Sendable {
    /// The product's identifier.
    public var id: Product.ID { product.id }

    /// The product.
    public let product: Product

    /// The win-back or promotional offer of the product that the user chose; nil for none.
    ///
    /// Always nil with a sandbox store: the purchases that it promotes carry no offer.
    public let offer: Product.SubscriptionOffer?

    init(_ product: Product, _ payment: StorePayment) {
        self.product = product
        offer = payment.offer?.identifier.flatMap { identifier in
            product.subscription?.offers(.upFront).first { $0.id.map(identifier.isExactly) ?? false }
        }
    }

    /// The purchases that the user begins outside the app.
    ///
    /// Each is delivered to all current iterations; if there is none, it is stored for the next one. The sequence does
    /// not end by itself.
    public static var intents: PurchaseIntents {
        let driver = StoreKit2Driver.current
        return PurchaseIntents { driver.subscribeToIntents() }
    }

    /// A sequence of purchases that the user began.
    ///
    /// Several tasks may iterate over it at a time. Iteration ends when the task is canceled or the payment queue ends.
    public struct PurchaseIntents: AsyncSequence, Sendable {
        /// A purchase that the user began.
        public typealias Element = PurchaseIntent

        fileprivate let subscribe: @Sendable () -> Subscription<Element>

        /// Begins to receive purchases.
        public func makeAsyncIterator() -> PurchaseIntent.PurchaseIntents.AsyncIterator {
            AsyncIterator(subscription: subscribe())
        }

        /// An iteration over purchases that the user began.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A purchase that the user began.
            public typealias Element = PurchaseIntent.PurchaseIntents.Element

            fileprivate var subscription: Subscription<Element>

            /// Returns the next purchase; nil at the end.
            public mutating func next() async -> PurchaseIntent.PurchaseIntents.Element? {
                await subscription.next(isolation: #isolation)
            }
        }
    }
}

import Foundation
import StoreCore

/// A country in which a store sells.
public struct Storefront: Identifiable, Sendable {
    /// The country's code in ISO 3166-1 alpha-3, as in `USA`.
    public let countryCode: String

    /// The store's identifier for the country.
    public let id: String

    /// The country's currency; nil if the country code is unassigned.
    ///
    /// It is the country's own currency even if the App Store sells there in US dollars.
    public var currency: Locale.Currency? {
        StoreStorefront(countryCode: countryCode, identifier: id).currency.map { Locale.Currency($0) }
    }

    /// The storefront of the account that is signed in; nil if the store does not report it.
    public static var current: Storefront? { get async { StoreKit2Driver.current.storefront.map { Storefront($0) } } }

    /// The storefronts that replace the current one after an iteration begins.
    ///
    /// The sequence does not end by itself.
    public static var updates: Storefronts {
        let driver = StoreKit2Driver.current
        return Storefronts { driver.subscribeToStorefronts() }
    }
}

extension Storefront {
    init(_ storefront: StoreStorefront) { self.init(countryCode: storefront.countryCode, id: storefront.identifier) }

    /// A sequence of storefronts.
    ///
    /// Several tasks may iterate over it at a time. Iteration ends when the task is canceled or the payment queue ends.
    public struct Storefronts: AsyncSequence, Sendable {
        /// A storefront.
        public typealias Element = Storefront

        fileprivate let subscribe: @Sendable () -> Subscription<StoreStorefront>

        /// Begins to receive storefronts.
        public func makeAsyncIterator() -> Storefront.Storefronts.AsyncIterator {
            AsyncIterator(subscription: subscribe())
        }

        /// An iteration over storefronts.
        public struct AsyncIterator: AsyncIteratorProtocol {
            /// A storefront.
            public typealias Element = Storefront

            fileprivate var subscription: Subscription<StoreStorefront>

            /// Returns the next storefront; nil at the end.
            public mutating func next() async -> Storefront? {
                await subscription.next(isolation: #isolation).map { Storefront($0) }
            }
        }
    }
}

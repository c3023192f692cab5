import Foundation
import StoreKit

/// A sequence as an object, whatever its elements are.
package final class Feed<Element>: NSObject {
    private let begin: () -> () async throws -> Element?

    package init<Source: AsyncSequence>(_ source: Source, _ convert: @escaping (Source.Element) -> Element) {
        begin = {
            var iterator = source.makeAsyncIterator()
            return { try await iterator.next().map(convert) }
        }
    }

    /// Asks for the elements, until there are none or the handler wants no more.
    package func forEach(_ completionHandler: @escaping (Element?) -> Bool) -> Call {
        let next = begin()
        return Task {
            while let element = try? await next() { guard completionHandler(element) else { return } }
            _ = completionHandler(nil)
        }.call
    }
}

extension Transaction.Transactions {
    package var feed: Feed<WrappedResult> { Feed(self) { $0.wrapped } }
}

extension AppTransaction.AppTransactions {
    package var feed: Feed<WrappedAppResult> { Feed(self) { $0.wrapped } }
}

extension Product.SubscriptionInfo.Status.Statuses {
    package var feed: Feed<WrappedStatus> { Feed(self) { $0.wrapped } }
}

extension AsyncStream<(groupID: String, statuses: [Product.SubscriptionInfo.Status])> {
    package var feed: Feed<(String, [WrappedStatus])> {
        Feed(self) {
            let (groupID, statuses) = $0
            return (groupID, statuses.map { $0.wrapped })
        }
    }
}

extension Storefront.Storefronts {
    package var feed: Feed<WrappedStorefront> { Feed(self) { $0.wrapped } }
}

extension Message.Messages {
    package var feed: Feed<WrappedMessage> { Feed(self) { $0.wrapped } }
}

extension PurchaseIntent.PurchaseIntents {
    package var feed: Feed<WrappedIntent> { Feed(self) { Wrapper($0) } }
}

/// All that an app listens to.
package enum Feeds {
    package static var transactions: [String: Feed<WrappedResult>] {
        [
            "all": Transaction.all.feed, "updates": Transaction.updates.feed, "unfinished": Transaction.unfinished.feed,
            "currentEntitlements": Transaction.currentEntitlements.feed,
        ]
    }

    package static func transactions(for productID: String) -> [Feed<WrappedResult>] {
        [Transaction.all(for: productID).feed, Transaction.currentEntitlements(for: productID).feed]
    }

    package static var apps: Feed<WrappedAppResult> { AppTransaction.all.feed }
    package static var statuses: Feed<WrappedStatus> { Product.SubscriptionInfo.Status.updates.feed }
    package static var groups: Feed<(String, [WrappedStatus])> { Product.SubscriptionInfo.Status.all.feed }
    package static var storefronts: Feed<WrappedStorefront> { Storefront.updates.feed }
    package static var messages: Feed<WrappedMessage> { Message.messages.feed }
    package static var intents: Feed<WrappedIntent> { PurchaseIntent.intents.feed }
}

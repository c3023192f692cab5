import Foundation
import StoreCore

/// An app of Store Kit 1 that records what its observer hears.
final class ObservingShop {
    /// Whether the app finishes what was bought.
    var finishes = true {
        didSet { observer.finishes = finishes }
    }
    private let context: StoreContext
    private var queue: SKPaymentQueue
    /// The observer, which the queue does not retain.
    private var observer = HeardEvents()

    /// Launches the app in a context that calls back inline.
    init(_ context: StoreContext) {
        self.context = context
        queue = context.run { .default() }
        queue.add(observer)
    }

    /// Adds a payment, and returns what the observer hears.
    func buy(_ identifier: String) -> String {
        forget()
        queue.add(SKPayment(productIdentifier: identifier))
        return heard
    }

    /// Ends the app and launches it again, and returns what the new observer hears.
    func relaunch() -> String {
        queue = queue.relaunch()
        observer = HeardEvents()
        finishes = true
        queue.add(observer)
        return heard
    }

    /// Forgets what the observer has heard.
    func forget() { observer.events = [] }

    /// What the observer has heard, in a few words.
    var heard: String { observer.sentence }
}

/// An observer that finishes what was bought, and keeps a list of what it was told.
private final class HeardEvents: NSObject, SKPaymentTransactionObserver {
    struct Event {
        let name: String
        let detail: String?
    }

    var finishes = true
    var events: [Event] = []

    /// The events, those of one name after another as one.
    var sentence: String {
        var groups: [(name: String, details: [String], count: Int)] = []
        for event in events {
            if groups.last?.name != event.name { groups.append((event.name, [], 0)) }
            groups[groups.count - 1].count += 1
            if let detail = event.detail { groups[groups.count - 1].details.append(detail) }
        }
        let words = groups.map { group in
            let count = group.count == 1 ? "" : " \(group.count) times"
            let last = group.details.last.map { group.count == 1 ? ", \($0)" : ", the last as \($0)" }
            return "\(group.name)\(count)\(last ?? "")"
        }
        return words.isEmpty ? "nothing" : words.joined(separator: ", ")
    }

    func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) {
        for transaction in transactions {
            let identifier = transaction.transactionIdentifier.map { "transaction \($0)" }
            let error = transaction.error.map { $0.localizedDescription }
            events.append(Event(name: "\(transaction.transactionState)", detail: error ?? identifier))
            switch transaction.transactionState {
            case .purchasing, .deferred: break
            case .purchased, .restored: if finishes { queue.finishTransaction(transaction) }
            case .failed: queue.finishTransaction(transaction)
            @unknown default: break
            }
        }
    }

    func paymentQueue(
        _ queue: SKPaymentQueue,
        didRevokeEntitlementsForProductIdentifiers productIdentifiers: [String]
    ) {
        events.append(Event(name: "didRevokeEntitlementsForProductIdentifiers", detail: nil))
    }
}

import Foundation

@testable import StoreCore

/// A store with a device for each who buys, and an app on each device that finishes what is decided.
struct Market {
    let clock: ManualClock
    let ledger: any Ledger
    let store: SandboxStore

    static let products: [SandboxProduct] =
        World.products + [
            subscription("gold.monthly", level: 1, price: "9.99", .init(1, .month)),
            subscription("gold.yearly", level: 1, price: "99.99", .init(1, .year)),
            subscription("silver.monthly", level: 2, price: "4.99", .init(1, .month)),
            subscription("silver.other", level: 2, price: "5.99", .init(1, .month)),
        ]

    static func subscription(
        _ identifier: String,
        level: Int,
        price: String,
        _ period: StoreProduct.Period,
        offer: SandboxProduct.Offer? = nil
    ) -> SandboxProduct {
        .autoRenewable(
            identifier,
            price: price,
            period: period,
            group: "metals",
            level: level,
            introductoryOffer: offer
        )
    }

    init(
        _ products: [SandboxProduct] = Market.products,
        on start: String = "2025-01-01T00:00:00Z",
        ledger: any Ledger = MemoryLedger(),
        authorizer: Authorizer = .approving,
        renewalRate: RenewalRate = .realTime,
        isNewsstandApp: Bool = false
    ) throws {
        clock = ManualClock(startingAt: Market.date(start))
        self.ledger = ledger
        store = try SandboxStore(
            products: products,
            clock: clock,
            ledger: ledger,
            locale: "en_US",
            authorizer: authorizer,
            renewalRate: renewalRate,
            isNewsstandApp: isNewsstandApp
        )
    }

    /// A market with the usual products, and an app there.
    static func withApp() throws -> (Market, App) {
        let market = try Market()
        return (market, App(on: market.store))
    }

    /// A moment as ISO 8601 writes it.
    static func date(_ text: String) -> Date {
        guard let date = try? Date(text, strategy: .iso8601) else { fatalError("\(text) is no date") }
        return date
    }

    func advance(to moment: String) { clock.advance(to: Market.date(moment)) }
}

/// An app on a device, with the queue that it has there.
final class App {
    let recorder: Recorder
    let queue: SKPaymentQueue

    init(
        on backend: any StoreBackend,
        journal: (any QueueJournal)? = nil,
        delegate: (any SKPaymentQueueDelegate)? = nil,
        finishes: Bool = true
    ) {
        recorder = finishes ? .finishing() : Recorder()
        queue = SKPaymentQueue(backend: backend, journal: journal, delivery: .inline, log: .silent)
        queue.delegate = delegate
        queue.add(recorder)
        queue.settle()
    }

    /// Orders something and waits until nothing moves.
    func buy(_ product: String, quantity: Int = 1) {
        let payment = SKMutablePayment(productIdentifier: product)
        payment.quantity = quantity
        queue.add(payment)
        queue.settle()
    }

    func restore() {
        queue.restoreCompletedTransactions()
        queue.settle()
    }

    /// What was bought and what was restored, in order.
    var received: [Heard] {
        recorder.history.filter { heard in
            switch heard {
            case .updated(_, .purchased), .updated(_, .restored): true
            default: false
            }
        }
    }
}

/// An amount as it is written.
func amount(_ text: String) -> Decimal {
    guard let amount = Decimal(string: text) else { fatalError("\(text) is no amount") }
    return amount
}

/// A payment with terms that only Store Kit 2 can ask for, in a queue of Store Kit 1.
extension App {
    /// Orders something and waits until nothing moves.
    func order(_ product: String, _ change: (inout StorePayment) -> Void = { _ in }) {
        var payment = StorePayment(productIdentifier: product)
        change(&payment)
        queue.add(SKPayment(payment))
        queue.settle()
    }

    /// Orders a subscription under an offer.
    func order(_ product: String, under offer: StoreOffer) { order(product) { $0.offer = offer } }
}

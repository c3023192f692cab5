import Foundation
import StoreCore

extension Figure {
    static let renewals = Figure(
        name: "renewals",
        summary: "a year of months for 100,000 subscribers, an observer attached",
        unit: "ms",
        limit: 3,
        dream: 1.5,
        isolation: .sample,
        // A million subscribers would renew twelve million times.
        growth: Growth(of: "subscribers", unit: "ns/renewal", sizes: [1_000, 10_000, 100_000]) { count in
            Growth.Probe { try sample(of: count, StoreRenewals.make(count)).each(of: 12 * count) }
        }
    ) {
        Cases(
            floor: {
                let hand = HandRenewals(starts: (0..<count).map { StoreRenewals.start + Double($0) })
                return try sample(of: count, hand.renew)
            },
            value: { try sample(of: count, StoreRenewals.make(count)) }
        )
    }

    private static let count = 100_000
    /// The end of the day on which the last of them has subscribed for a year.
    private static let end = StoreRenewals.start + 367 * 86_400

    private static func sample(of count: Int, _ renew: (_ end: Date) throws -> Int) throws -> Sample {
        try .milliseconds(of: 12 * count, "terms were renewed") { try renew(end) }
    }
}

/// The value: a store in which so many accounts subscribe, a second apart, before the clock is looked at.
enum StoreRenewals {
    /// The first of January 2025.
    static let start = Date(timeIntervalSince1970: 1_735_689_600)

    /// The returned function advances the clock to a date and returns how many terms were renewed.
    static func make(_ count: Int) throws -> (_ end: Date) throws -> Int {
        let clock = ManualClock(startingAt: start)
        let ledger = MemoryLedger()
        let products: [SandboxProduct] = [
            .autoRenewable("com.example.pro", price: "4.99", period: .init(1, .month), group: "pro")
        ]
        let store = try SandboxStore(products: products, clock: clock, ledger: ledger)
        let queue = SKPaymentQueue(backend: store, delivery: .inline)
        let observer = StoreFinisher(keeps: false)
        queue.add(observer)
        queue.add(SKPayment(productIdentifier: "com.example.pro"))
        let payment = StorePayment(productIdentifier: "com.example.pro")
        for number in 1..<count {
            clock.advance(by: 1)
            let account = try store.addAccount("account \(number)")
            let device = try store.addDevice("device \(number)", signedInTo: account)
            let order = OrderID(journal: JournalID(rawValue: UInt64(number)), number: 1)
            device.submit([StoreCommand(id: order, action: .purchase(payment))]) { _ in }
        }
        let before = ledger.head
        return { end in
            withExtendedLifetime((store, queue)) { clock.advance(to: end) }
            // All appended records except those of the observer's finishes are renewals.
            return ledger.head - before - (observer.received - 1)
        }
    }
}

import ModelSimulator
import Testing

/// Generic subscriptions, which signed requests and the developer's server change: the store agrees with the model.
@Suite struct GenericSubscriptionTests {
    private static func request(
        _ request: SimulatedOperation.Request,
        _ group: SimulatedOperation.Group = .requests
    ) -> SimulatedOperation { .request(account: 0, request, of: group) }

    /// Every way of changing texts and the tax code, by an app or by a server.
    private static func descriptions(byServer: Bool) -> [SimulatedOperation] {
        SimulatedOperation.Description.allCases.flatMap { description in
            [true, false].map { request(.describe(description, isImmediate: $0, byServer: byServer)) }
        }
    }

    @Test(arguments: [true, false])
    func `Texts and tax codes are those of the running period or of the next, in the model too`(byServer: Bool) throws {
        let changes = Self.descriptions(byServer: byServer)
        // Nothing, a running subscription, one that ends with its period, one in billing retry and an ended one.
        var operations = changes + [Self.request(.create(cents: 499, offer: nil))]
        for change in changes { operations += [change, .advance(days: 31)] }
        for change in changes { operations += [Self.request(.cancel), change] }
        operations += [Self.request(.reactivate), .failBilling(account: 0, on: true), .advance(days: 31)]
        operations += changes + [.change(account: 0, group: .requests, to: .expires)] + changes
        operations += [.failBilling(account: 0, on: false), Self.request(.reactivate)]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test(arguments: [true, false])
    func `A migrated subscription has its texts before it renews, in the model too`(byServer: Bool) throws {
        let changes = SimulatedOperation.Description.allCases.flatMap { description in
            [true, false].map {
                Self.request(.describe(description, isImmediate: $0, byServer: byServer), .migrated)
            }
        }
        let migration: [SimulatedOperation] = [
            .buy(account: 0, product: .gold, quantity: 1), Self.request(.migrate, .club),
        ]
        try SimulatedRun(seed: 0, operations: migration + changes + [.advance(days: 31)] + changes).run()
    }

    @Test(arguments: 1...3)
    func `An item has its offer's price for as many periods as the offer has, in the model too`(periods: Int) throws {
        let months = (0..<4).flatMap { _ in
            [SimulatedOperation.advance(days: 31), .refundItem(index: 0, item: .base, .half, revokes: false)]
        }
        let operations: [SimulatedOperation] =
            [Self.request(.create(cents: 499, offer: .half(periods: periods)))] + months + [
                // Another item begins another period, which is the next of the first item's offer.
                Self.request(.revoke), Self.request(.create(cents: 499, offer: .half(periods: periods))),
                Self.request(.add(cents: 250, offer: .half(periods: 2))), Self.request(.changePrice(cents: 99)),
            ] + months
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `A free period is refunded as a part of a purchase only, in the model too`() throws {
        let refunds = SimulatedOperation.Extent.allCases.flatMap { extent in
            [false, true].flatMap { revokes in
                SimulatedOperation.Item.allCases.map {
                    SimulatedOperation.refundItem(index: 0, item: $0, extent, revokes: revokes)
                }
            }
        }
        let free = Self.request(.create(cents: 499, offer: .free))
        for refund in refunds {
            try SimulatedRun(
                seed: 0,
                operations: [
                    free, refund, .advance(days: 31), Self.request(.add(cents: 99, offer: .free)), refund,
                    Self.request(.revoke), free, Self.request(.revoke),
                ]
            ).run()
        }
        try SimulatedRun(seed: 0, operations: [free, Self.request(.add(cents: 99, offer: nil))] + refunds).run()
    }

    @Test func `An offer that is over in failed renewals is over, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            Self.request(.create(cents: 499, offer: .half(periods: 3))), .failBilling(account: 0, on: true),
            .grantGracePeriod(true), .advance(days: 31), .failBilling(account: 0, on: false),
            .change(account: 0, group: .requests, to: .recovers), .advance(days: 31), .advance(days: 31),
            .change(account: 0, group: .requests, to: .expires), Self.request(.reactivate), .advance(days: 31),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `An offer of months does not fit a year, in the model too`() throws {
        let operations: [SimulatedOperation] = [
            .buy(account: 0, product: .journal, quantity: 1), Self.request(.migrate, .press),
            Self.request(.add(cents: 99, offer: .half(periods: 2)), .migrated), .advance(days: 366),
            Self.request(.add(cents: 99, offer: .free), .migrated),
            Self.request(.add(cents: 99, offer: nil), .migrated), .advance(days: 366),
        ]
        try SimulatedRun(seed: 0, operations: operations).run()
    }

    @Test func `Requests with texts and offers are printed as they are pasted`() {
        let operations: [SimulatedOperation] = [
            Self.request(.create(cents: 499, offer: .half(periods: 2))), Self.request(.add(cents: 99, offer: .free)),
            Self.request(.create(cents: 99, offer: nil), .extras),
            Self.request(.describe(.taxCode, isImmediate: true, byServer: false)),
        ]
        #expect(
            operations.map(\.description) == [
                ".request(account: 0, .create(cents: 499, offer: .half(periods: 2)), of: .requests)",
                ".request(account: 0, .add(cents: 99, offer: .free), of: .requests)",
                ".request(account: 0, .create(cents: 99, offer: nil), of: .extras)",
                ".request(account: 0, .describe(.taxCode, isImmediate: true, byServer: false), of: .requests)",
            ]
        )
    }
}

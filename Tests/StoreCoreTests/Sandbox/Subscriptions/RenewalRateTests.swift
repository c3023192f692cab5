import Foundation
import StoreCore
import TestSupport
import Testing

@Suite(.promptly) struct RenewalRateTests {
    private let calendar: Calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    @Test func `A month after the 31st is the end of a shorter one, and the day comes back`() {
        let start = Market.date("2023-10-31T09:30:00Z")
        let ends = (1...5).map { RenewalRate.realTime.end(of: .init(1, .month), times: $0, from: start) }
        let days = ["2023-11-30", "2023-12-31", "2024-01-31", "2024-02-29", "2024-03-31"]
        #expect(ends == days.map { Market.date($0 + "T09:30:00Z") })
    }

    @Test func `A year after the leap day is the 28th until there is a leap day again`() {
        let start = Market.date("2024-02-29T00:00:00Z")
        let ends = (1...4).map { RenewalRate.realTime.end(of: .init(1, .year), times: $0, from: start) }
        #expect(ends == days("2025-02-28", "2026-02-28", "2027-02-28", "2028-02-29"))
    }

    @Test(arguments: [("2000-02-29", "2100-02-28"), ("1999-12-31", "2099-12-31"), ("2025-01-31", "2125-01-31")])
    func `100 years of months end on their day`(start: String, end: String) {
        let begin = Market.date(start + "T00:00:00Z")
        let finish = RenewalRate.realTime.end(of: .init(1, .month), times: 1200, from: begin)
        #expect(finish == Market.date(end + "T00:00:00Z"))
    }

    @Test func `A subscription of 100 years keeps its day of the month`() throws {
        let market = try Market(on: "2000-01-31T12:00:00Z")
        let app = App(on: market.store, buying: "pro.monthly")
        market.advance(to: "2100-01-31T12:00:00Z")
        let dates = app.recorder.transactions.compactMap(\.transactionDate)
        #expect(dates.count == 1201)
        for (month, date) in dates.enumerated() {
            let parts = calendar.dateComponents([.year, .month, .day, .hour], from: date)
            #expect(parts.year == 2000 + month / 12 && parts.month == 1 + month % 12 && parts.hour == 12)
            #expect(parts.day == calendar.range(of: .day, in: .month, for: date)?.count)
        }
    }

    @Test func `Months and years end when the calendar says, over centuries`() throws {
        let start = Market.date("1601-01-01T00:00:00Z")
        // A prime number of days, hours and seconds meets all kinds of days and times.
        for step in 0..<4000 {
            let date = start + Double(step) * 4_999_999
            let count = 1 + step % 250
            let month = try #require(calendar.date(byAdding: .month, value: count, to: date))
            let year = try #require(calendar.date(byAdding: .year, value: count, to: date))
            #expect(RenewalRate.realTime.end(of: .init(1, .month), times: count, from: date) == month)
            #expect(RenewalRate.realTime.end(of: .init(1, .year), times: count, from: date) == year)
        }
    }

    @Test(arguments: ["0004-02-29T00:00:00Z", "1582-10-14T12:00:00Z", "9999-12-31T23:59:59Z"])
    func `Far away too, months end when the calendar says`(start: String) throws {
        let date = Market.date(start)
        let end = try #require(calendar.date(byAdding: .month, value: 13, to: date))
        #expect(RenewalRate.realTime.end(of: .init(1, .month), times: 13, from: date) == end)
    }

    @Test func `Days and weeks are as long as ever`() {
        let start = Market.date("2024-02-28T00:00:00Z")
        #expect(RenewalRate.realTime.end(of: .init(3, .day), from: start) == Market.date("2024-03-02T00:00:00Z"))
        #expect(RenewalRate.realTime.end(of: .init(2, .week), from: start) == Market.date("2024-03-13T00:00:00Z"))
    }

    @Test(arguments: zip(RenewalRate.Day.allCases, [3600.0, 1800, 300, 60, 30, 1]))
    func `B222: A day lasts as long as the rate says`(day: RenewalRate.Day, seconds: TimeInterval) {
        let start = Market.date("2025-01-01T00:00:00Z")
        #expect(RenewalRate.day(day).end(of: .init(1, .day), from: start) == start + seconds)
        #expect(RenewalRate.day(day).end(of: .init(1, .month), from: start) == start + 31 * seconds)
        #expect(RenewalRate.day(day).end(of: .init(1, .month), times: 2, from: start) == start + 59 * seconds)
        #expect(RenewalRate.day(day).end(of: .init(1, .year), from: start) == start + 365 * seconds)
    }

    /// Week, month, 2, 3 and 6 months, year; grace of a week and of others; retry.
    private static let monthly: [(RenewalRate.Month, [TimeInterval])] = [
        (.hour, [900, 3600, 7200, 10_800, 21_600, 43_200, 771, 1800, 7200]),
        (.thirtyMinutes, [600, 1800, 3600, 5400, 10_800, 21_600, 514, 900, 3600]),
        (.fifteenMinutes, [300, 900, 1800, 2700, 5400, 10_800, 257, 450, 1800]),
        (.fiveMinutes, [180, 300, 600, 900, 1800, 3600, 154, 150, 600]),
        (.thirtySeconds, [10, 30, 60, 90, 180, 360, 9, 15, 60]),
    ]

    @Test(arguments: monthly)
    func `B223: The monthly rates have a length for every period`(month: RenewalRate.Month, seconds: [TimeInterval]) {
        let rate = RenewalRate.month(month)
        let start = Market.date("2025-01-31T00:00:00Z")
        let periods: [StoreProduct.Period] = [
            .init(1, .week), .init(1, .month), .init(2, .month), .init(3, .month), .init(6, .month), .init(1, .year),
        ]
        #expect(periods.map { rate.end(of: $0, from: start).timeIntervalSince(start) } == Array(seconds.prefix(6)))
        #expect(rate.gracePeriod(for: .init(1, .week)) == seconds[6])
        #expect(rate.gracePeriod(for: .init(1, .month)) == seconds[7] && rate.billingRetryPeriod == seconds[8])
    }

    @Test(arguments: zip(RenewalRate.Period.allCases, [900.0, 300, 60, 30, 10, 2]))
    func `B224: The fixed rates make every period alike`(length: RenewalRate.Period, seconds: TimeInterval) {
        let rate = RenewalRate.everyPeriod(length)
        let start = Market.date("2025-01-31T00:00:00Z")
        for period in [StoreProduct.Period(1, .day), .init(1, .week), .init(6, .month), .init(1, .year)] {
            #expect(rate.end(of: period, from: start) == start + seconds && rate.gracePeriod(for: period) == seconds)
        }
        #expect(rate.billingRetryPeriod == 2 * seconds)
    }

    @Test func `B225: In real time grace is 6 days for a week and 16 otherwise, and retry 60 days`() {
        let day: TimeInterval = 86_400
        #expect(RenewalRate.realTime.gracePeriod(for: .init(1, .week)) == 6 * day)
        #expect(RenewalRate.realTime.gracePeriod(for: .init(7, .day)) == 6 * day)
        #expect(RenewalRate.realTime.gracePeriod(for: .init(1, .month)) == 16 * day)
        #expect(RenewalRate.realTime.billingRetryPeriod == 60 * day)
    }

    @Test func `B223: A store renews at the rate it is given`() throws {
        let market = try Market(renewalRate: .month(.fiveMinutes))
        let app = App(on: market.store, buying: "gold.monthly")
        market.clock.advance(by: 899)
        #expect(app.received.count == 3)
        market.clock.advance(by: 1)
        #expect(app.received.count == 4)
    }

    private static let year: TimeInterval = 365 * 86_400

    private static func quickMarket() throws -> (market: Market, app: App) {
        let market = try Market(renewalRate: .everyPeriod(.thirtySeconds))
        return (market, App(on: market.store, buying: "gold.monthly"))
    }

    @Test func `B224: A move that renews a subscription a million times stops the process and says why`() async throws {
        let result = try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
            let (market, app) = try Self.quickMarket()
            withExtendedLifetime(app) { market.store.advance(by: Self.year) }
        }
        #expect(
            said(result).contains(
                """
                the clock cannot be moved by 31536000.0 seconds at once: "gold.monthly" would be renewed 1051200 times, \
                every 30.0 seconds at the store's renewal rate, and 10000 times are the most
                """
            )
        )
    }

    @Test func `B224: Where such a move is thrown, nothing has happened, and a shorter one goes on`() throws {
        let (market, app) = try Self.quickMarket()
        let start = market.clock.now
        #expect(throws: ClockError.self) { try market.store.advanceThrowing(by: Self.year) }
        #expect(throws: ClockError.self) { try market.clock.advanceThrowing(by: Self.year) }
        #expect(throws: ClockError.self) { try market.clock.advanceThrowing(to: start + 10_001 * 30) }
        #expect(market.clock.now == start && app.received.count == 1)
        try market.store.advanceThrowing(by: 12 * 30)
        #expect(app.received.count == 13)
    }

    @Test func `B224: A subscription that ends on the way is in nobody's way`() throws {
        func received(after change: (SandboxStore) throws -> Void) throws -> Int {
            let (market, app) = try Self.quickMarket()
            try change(market.store)
            market.store.advance(by: Self.year)
            return app.received.count
        }
        #expect(try received { try $0.setRenewalLimit(12) } == 13)
        #expect(try received { try $0.account.setBillingFails(true) } == 1)
        #expect(try received { try $0.account.setAutoRenew(false, inGroup: "metals") } == 1)
    }

    @Test(arguments: [RenewalRate.day(.second), .month(.thirtySeconds), .everyPeriod(.twoSeconds)])
    func `B222, B223, B224: Every quick rate has a longest move, which real time hardly has`(rate: RenewalRate) throws {
        let market = try Market(renewalRate: rate)
        App(on: market.store).buy("gold.monthly")
        #expect(throws: ClockError.self) { try market.store.advanceThrowing(by: 10 * Self.year) }
        let calm = try Market()
        App(on: calm.store).buy("gold.monthly")
        #expect(throws: Never.self) { try calm.store.advanceThrowing(by: 10 * Self.year) }
    }

    @Test func `A rate that becomes quicker holds from the next term on`() throws {
        let ledger = MemoryLedger()
        do { App(on: try Market(ledger: ledger).store).buy("gold.monthly") }
        let quick = try Market(ledger: ledger, renewalRate: .everyPeriod(.minute))
        let app = App(on: quick.store)
        quick.advance(to: "2025-02-01T00:02:00Z")
        #expect(app.received.count == 3)
    }
}

import Foundation

/// The rate at which a subscription's periods elapse on the store's clock.
///
/// Periods have their calendar length unless a faster rate is set. The faster rates are those of Xcode's test
/// environment (behaviors 222 to 225). A period's length is determined when the period begins. The rate also sets the
/// lengths of a grace period and of billing retry: ``gracePeriod(for:)`` and ``billingRetryPeriod``.
///
/// At any rate, a subscription renews until its user turns renewal off, or until a limit of
/// ``SandboxStore/setRenewalLimit(_:)`` is reached. To let periods elapse, advance the clock by their lengths at this
/// rate: twelve months at ``Month/thirtySeconds`` are `advance(by: 12 * 30)`. One advance renews a subscription at most
/// 10,000 times, see ``SandboxStore/advance(by:)-(TimeInterval)``. Nothing but subscriptions depends on the rate.
public enum RenewalRate: Hashable, Codable, Sendable {
    /// Periods follow the calendar, in UTC: a month after 31 January is the end of February, two months after it 31
    /// March.
    case realTime
    /// A day has this length. A period has as many of these days as it has in the calendar.
    case day(Day)
    /// A month has this length, and a year is twelve months. The length of a week is fixed for each ``Month``, and is
    /// longer than a week's share of the month. A day is a seventh of the week.
    case month(Month)
    /// Every period has this length, be it a week, a year or a free trial.
    case everyPeriod(Period)

    /// The length of a day, in seconds.
    public enum Day: TimeInterval, Hashable, Codable, Sendable, CaseIterable {
        /// One hour.
        case hour = 3600
        /// Thirty minutes.
        case thirtyMinutes = 1800
        /// Five minutes.
        case fiveMinutes = 300
        /// One minute.
        case minute = 60
        /// Thirty seconds.
        case thirtySeconds = 30
        /// One second.
        case second = 1
    }

    /// The length of a month, in seconds.
    public enum Month: TimeInterval, Hashable, Codable, Sendable, CaseIterable {
        /// One hour. A week has 15 minutes.
        case hour = 3600
        /// Thirty minutes. A week has 10 minutes.
        case thirtyMinutes = 1800
        /// Fifteen minutes. A week has 5 minutes.
        case fifteenMinutes = 900
        /// Five minutes. A week has 3 minutes.
        case fiveMinutes = 300
        /// Thirty seconds. A week has 10 seconds.
        case thirtySeconds = 30

        fileprivate var week: TimeInterval {
            switch self {
            case .hour: 900
            case .thirtyMinutes: 600
            case .fifteenMinutes: 300
            case .fiveMinutes: 180
            case .thirtySeconds: 10
            }
        }

        fileprivate var weeklyGracePeriod: TimeInterval {
            switch self {
            case .hour: 771
            case .thirtyMinutes: 514
            case .fifteenMinutes: 257
            case .fiveMinutes: 154
            case .thirtySeconds: 9
            }
        }
    }

    /// The length of every period, in seconds.
    public enum Period: TimeInterval, Hashable, Codable, Sendable, CaseIterable {
        /// Fifteen minutes.
        case fifteenMinutes = 900
        /// Five minutes.
        case fiveMinutes = 300
        /// One minute.
        case minute = 60
        /// Thirty seconds.
        case thirtySeconds = 30
        /// Ten seconds.
        case tenSeconds = 10
        /// Two seconds.
        case twoSeconds = 2
    }
}

extension StoreProduct.Period {
    /// Returns whether two periods always have the same length, as seven days and a week, or twelve months and a year.
    func isAsLong(as other: Self) -> Bool { plain == other.plain }

    /// The same period, expressed in days or months.
    private var plain: Self {
        switch unit {
        case .day, .month: self
        case .week: Self(7 * count, .day)
        case .year: Self(12 * count, .month)
        }
    }
}

extension RenewalRate {
    /// Returns the end of a number of consecutive periods.
    ///
    /// - Parameters:
    ///   - period: the length of each period.
    ///   - count: the number of periods, at least 1.
    ///   - start: the start of the first period.
    /// - Returns: the first moment after the last period.
    public func end(of period: StoreProduct.Period, times count: Int = 1, from start: Date) -> Date {
        switch self {
        case .realTime: return Self.calendarEnd(of: period, times: count, from: start)
        case .day(let day):
            let end = Self.calendarEnd(of: period, times: count, from: start)
            return start + end.timeIntervalSince(start) / Self.secondsOfDay * day.rawValue
        case .month(let month): return start + Double(count * period.count) * Self.length(of: period.unit, at: month)
        case .everyPeriod(let length): return start + Double(count) * length.rawValue
        }
    }

    /// Returns the length, in seconds of the store's clock, of the grace period after a failed renewal.
    ///
    /// In real time, it is 6 days for a weekly subscription and 16 days for every other one. The rate alone determines
    /// the length, and ``SandboxStore/setGrantsGracePeriod(_:)`` whether there is a grace period. The grace period
    /// begins at the end of the paid period, and is the first part of billing retry, whose end also ends it. The
    /// monthly payments of a commitment have none.
    ///
    /// - Parameter period: the subscription's period, which is a week or another length.
    /// - Returns: the length that applies if the store grants grace periods.
    public func gracePeriod(for period: StoreProduct.Period) -> TimeInterval {
        let isWeekly = period.isAsLong(as: .init(1, .week))
        let days: Double = isWeekly ? 6 : 16
        return switch self {
        case .realTime: days * Self.secondsOfDay
        case .day(let day): days * day.rawValue
        case .month(let month): isWeekly ? month.weeklyGracePeriod : month.rawValue / 2
        case .everyPeriod(let length): length.rawValue
        }
    }

    /// The time, in seconds of the store's clock, for which the store retries a failed charge.
    ///
    /// It counts from the end of the paid period, and includes a grace period. In real time, it is 60 days. A monthly
    /// payment of a commitment is retried 1.5 times as long.
    public var billingRetryPeriod: TimeInterval {
        switch self {
        case .realTime: 60 * Self.secondsOfDay
        case .day(let day): 60 * day.rawValue
        case .month(let month): 2 * month.rawValue
        case .everyPeriod(let length): 2 * length.rawValue
        }
    }

    /// Returns the number of months in a period; nil if the period is not counted in months at this rate.
    func months(in period: StoreProduct.Period) -> Int? {
        if case .everyPeriod = self { return nil }
        return switch period.unit {
        case .day, .week: nil
        case .month: period.count
        case .year: 12 * period.count
        }
    }

    private static var secondsOfDay: Double { 86_400 }

    /// The Gregorian calendar in UTC, which has no daylight saving time.
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Returns the end of consecutive periods by the calendar.
    ///
    /// All periods are counted from `start`: a month after 31 January ends in February, but two months end on 31 March.
    private static func calendarEnd(of period: StoreProduct.Period, times count: Int, from start: Date) -> Date {
        let amount = period.count * count
        switch period.unit {
        case .day: return start + Double(amount) * secondsOfDay
        case .week: return start + Double(amount) * 7 * secondsOfDay
        case .month: return end(ofMonths: amount, from: start)
        case .year: return end(ofMonths: 12 * amount, from: start)
        }
    }

    /// Returns the date that is a number of months after the start.
    ///
    /// Avoids `Calendar` where possible, since it would dominate the cost of a renewal.
    private static func end(ofMonths months: Int, from start: Date) -> Date {
        let seconds = start.timeIntervalSince1970
        // Covers the years 1600 to about 5138: in `Calendar`, earlier dates may be Julian.
        guard seconds >= -11_676_096_000, seconds < 100_000_000_000, months <= 12_000 else {
            return calendar.date(byAdding: .month, value: months, to: start) ?? .distantFuture
        }
        let days = Int((seconds / secondsOfDay).rounded(.down))
        let later = CivilDate(daysSince1970: days).adding(months: months).daysSince1970
        return start + Double(later - days) * secondsOfDay
    }

    private static func length(of unit: StoreProduct.Period.Unit, at month: Month) -> TimeInterval {
        switch unit {
        case .day: month.week / 7
        case .week: month.week
        case .month: month.rawValue
        case .year: 12 * month.rawValue
        }
    }
}

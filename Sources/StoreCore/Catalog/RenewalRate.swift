import Foundation

/// The rate at which a subscription's periods pass on the store's clock.
///
/// Periods follow the calendar unless the store is set to a faster rate. The faster rates are those of Xcode's test
/// environment (behaviors 222 to 225). A period's length is fixed when it begins.
///
/// At any rate, a subscription renews until its user turns it off; only ``SandboxStore/setRenewalLimit(_:)`` ends it by
/// itself. Advance a clock by the rate's own lengths: a year of months at ``Month/thirtySeconds`` is `advance(by: 12 *
/// 30)`. One advance renews a subscription at most 10,000 times, see ``SandboxStore/advance(by:)``.
public enum RenewalRate: Hashable, Codable, Sendable {
    /// Periods follow the calendar, in UTC: a month after 31 January is the end of February, two months after it 31
    /// March.
    case realTime
    /// A day has this length; a period has as many days as in the calendar.
    case day(Day)
    /// A month has this length, and a year has twelve months. A week is longer than its share of a month.
    case month(Month)
    /// Every period has this length, regardless of its stated length.
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
        /// One hour; a week lasts 15 minutes.
        case hour = 3600
        /// Thirty minutes; a week lasts 10 minutes.
        case thirtyMinutes = 1800
        /// Fifteen minutes; a week lasts 5 minutes.
        case fifteenMinutes = 900
        /// Five minutes; a week lasts 3 minutes.
        case fiveMinutes = 300
        /// Thirty seconds; a week lasts 10 seconds.
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
    /// Returns whether it always lasts as long as another: seven days are a week, twelve months a year.
    func isAsLong(as other: Self) -> Bool { plain == other.plain }

    /// The same period in days or months.
    private var plain: Self {
        switch unit {
        case .day, .month: self
        case .week: Self(7 * count, .day)
        case .year: Self(12 * count, .month)
        }
    }
}

extension RenewalRate {
    /// Returns the end of consecutive periods that begin at a moment.
    ///
    /// - Parameters:
    ///   - period: the length of one.
    ///   - count: the number of periods, at least 1.
    ///   - start: the start of the first one.
    /// - Returns: the first moment after the last period.
    public func end(of period: StoreProduct.Period, times count: Int = 1, from start: Date) -> Date {
        switch self {
        case .realTime:
            return Self.calendarEnd(of: period, times: count, from: start)
        case .day(let day):
            let end = Self.calendarEnd(of: period, times: count, from: start)
            return start + end.timeIntervalSince(start) / Self.secondsOfDay * day.rawValue
        case .month(let month):
            return start + Double(count * period.count) * Self.length(of: period.unit, at: month)
        case .everyPeriod(let length):
            return start + Double(count) * length.rawValue
        }
    }

    /// Returns the length of the grace period after a failed renewal, in seconds.
    ///
    /// - Parameter period: the subscription's period; a week's grace is shorter than any other's.
    /// - Returns: the length, if the store grants a grace period at all.
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

    /// The time for which the store retries a failed charge, in seconds.
    public var billingRetryPeriod: TimeInterval {
        switch self {
        case .realTime: 60 * Self.secondsOfDay
        case .day(let day): 60 * day.rawValue
        case .month(let month): 2 * month.rawValue
        case .everyPeriod(let length): 2 * length.rawValue
        }
    }

    /// Returns the number of months in a period; nil if it is not counted in months.
    func months(in period: StoreProduct.Period) -> Int? {
        if case .everyPeriod = self { return nil }
        return switch period.unit {
        case .day, .week: nil
        case .month: period.count
        case .year: 12 * period.count
        }
    }

    private static var secondsOfDay: Double { 86_400 }

    /// The Gregorian calendar in UTC, which has no daylight saving.
    private static let calendar = {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = .gmt
        return calendar
    }()

    /// Returns the end by the calendar, counted from the first day, so that the 31st is used again after a shorter month.
    private static func calendarEnd(of period: StoreProduct.Period, times count: Int, from start: Date) -> Date {
        let amount = period.count * count
        switch period.unit {
        case .day: return start + Double(amount) * secondsOfDay
        case .week: return start + Double(amount) * 7 * secondsOfDay
        case .month: return end(ofMonths: amount, from: start)
        case .year: return end(ofMonths: 12 * amount, from: start)
        }
    }

    /// Returns the calendar's end of some months, usually without `Calendar`, which would take most of a renewal's time.
    private static func end(ofMonths months: Int, from start: Date) -> Date {
        let seconds = start.timeIntervalSince1970
        // The range is from 1600 to about 5138; earlier dates include the Julian calendar.
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

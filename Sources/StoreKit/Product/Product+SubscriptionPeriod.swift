import Foundation
import StoreCore

extension Product {
    /// A length of time in calendar units: three months is `month` × 3.
    public struct SubscriptionPeriod: Equatable, Hashable, Sendable {
        /// A unit of the calendar, in ascending order of length.
        public enum Unit: Equatable, Hashable, Sendable, Comparable, CustomDebugStringConvertible {
            /// A day.
            case day
            /// Seven days.
            case week
            /// A month of the calendar.
            case month
            /// A year of the calendar.
            case year

            /// Returns whether the first unit is shorter.
            public static func < (lhs: Unit, rhs: Unit) -> Bool { lhs.rank < rhs.rank }

            private var rank: Int {
                switch self {
                case .day: 0
                case .week: 1
                case .month: 2
                case .year: 3
                }
            }

            /// The unit in English.
            public var localizedDescription: String { debugDescription }

            /// The unit in English.
            public var debugDescription: String {
                switch self {
                case .day: "Day"
                case .week: "Week"
                case .month: "Month"
                case .year: "Year"
                }
            }
        }

        /// The unit.
        public let unit: Unit
        /// The number of units, at least 1.
        public let value: Int

        init(_ value: Int, _ unit: Unit) { (self.value, self.unit) = (value, unit) }

        init(_ period: StoreProduct.Period) {
            let unit: Unit =
                switch period.unit {
                case .day: .day
                case .week: .week
                case .month: .month
                case .year: .year
                }
            self.init(period.count, unit)
        }

        /// The ISO 8601 form, as in `P3M`.
        var iso8601: String { "P\(value)\(unit.debugDescription.prefix(1))" }

        /// One week.
        public static var weekly: SubscriptionPeriod { SubscriptionPeriod(1, .week) }
        /// One month.
        public static var monthly: SubscriptionPeriod { SubscriptionPeriod(1, .month) }
        /// One year.
        public static var yearly: SubscriptionPeriod { SubscriptionPeriod(1, .year) }
        /// Three days.
        public static var everyThreeDays: SubscriptionPeriod { SubscriptionPeriod(3, .day) }
        /// Two weeks.
        public static var everyTwoWeeks: SubscriptionPeriod { SubscriptionPeriod(2, .week) }
        /// Two months.
        public static var everyTwoMonths: SubscriptionPeriod { SubscriptionPeriod(2, .month) }
        /// Three months.
        public static var everyThreeMonths: SubscriptionPeriod { SubscriptionPeriod(3, .month) }
        /// Six months.
        public static var everySixMonths: SubscriptionPeriod { SubscriptionPeriod(6, .month) }
    }
}

extension Product.SubscriptionPeriod: CustomDebugStringConvertible {
    /// The number and the unit, in English.
    public var debugDescription: String { "\(value) \(unit.debugDescription)\(value == 1 ? "" : "s")" }
}

extension Product.SubscriptionPeriod {
    /// Returns the dates of a period by the Gregorian calendar in the user's time zone.
    ///
    /// - Parameter referenceDate: the date at which the period begins.
    /// - Returns: the dates, without the period's end.
    public func dateRange(referenceDate: Date = .now) -> Range<Date> {
        let components = DateComponents(subscriptionPeriod: self)
        let end = Calendar(identifier: .gregorian).date(byAdding: components, to: referenceDate)
        return referenceDate..<max(end ?? referenceDate, referenceDate)
    }

    /// Returns a period's dates, written in a style.
    public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
    where S: FormatStyle, S.FormatInput == Range<Date> {
        format.format(dateRange(referenceDate: referenceDate))
    }

    /// Returns a period's duration, written in a style.
    public func formatted<S>(_ format: S, referenceDate: Date = .now) -> S.FormatOutput
    where S: FormatStyle, S.FormatInput == Duration {
        let dates = dateRange(referenceDate: referenceDate)
        return format.format(.seconds(dates.upperBound.timeIntervalSince(dates.lowerBound)))
    }
}

extension Product.SubscriptionPeriod.Unit {
    /// Returns the unit, written in a style.
    public func formatted<S>(_ format: S) -> S.FormatOutput
    where S: Foundation.FormatStyle, S.FormatInput == Product.SubscriptionPeriod.Unit { format.format(self) }

    /// A style that writes units as single words.
    ///
    /// The words are English in every locale: Foundation has the names of units on Apple's platforms only.
    public struct FormatStyle: Foundation.FormatStyle, Sendable {
        private var locale: Locale

        init(locale: Locale) { self.locale = locale }

        /// Returns the unit's name.
        public func format(_ value: Product.SubscriptionPeriod.Unit) -> String { value.localizedDescription }

        /// Returns the same style for another locale.
        public func locale(_ locale: Locale) -> FormatStyle { FormatStyle(locale: locale) }
    }
}

// The lengths of a subscription's period that App Store Connect offers, under Store Kit's names, and lengths by count.
extension StoreProduct.Period {
    /// One week.
    public static let weekly = Self(1, .week)
    /// One month.
    public static let monthly = Self(1, .month)
    /// One year.
    public static let yearly = Self(1, .year)
    /// Three days.
    public static let everyThreeDays = Self(3, .day)
    /// Two weeks.
    public static let everyTwoWeeks = Self(2, .week)
    /// Two months.
    public static let everyTwoMonths = Self(2, .month)
    /// Three months.
    public static let everyThreeMonths = Self(3, .month)
    /// Six months.
    public static let everySixMonths = Self(6, .month)

    /// Returns a number of days.
    public static func days(_ count: Int) -> Self { Self(count, .day) }
    /// Returns a number of weeks.
    public static func weeks(_ count: Int) -> Self { Self(count, .week) }
    /// Returns a number of months.
    public static func months(_ count: Int) -> Self { Self(count, .month) }
    /// Returns a number of years.
    public static func years(_ count: Int) -> Self { Self(count, .year) }
}

extension SKProduct {
    /// The units in which a subscription counts time.
    ///
    /// Later versions may add some.
    @nonexhaustive
    public enum PeriodUnit: UInt, Sendable {
        /// A day.
        case day = 0
        /// A week of seven days.
        case week = 1
        /// A month of the calendar.
        case month = 2
        /// A year of the calendar.
        case year = 3
    }
}

extension SKProduct.PeriodUnit {
    init(_ unit: StoreProduct.Period.Unit) {
        switch unit {
        case .day: self = .day
        case .week: self = .week
        case .month: self = .month
        case .year: self = .year
        }
    }

    var value: StoreProduct.Period.Unit {
        switch self {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}

extension SKProduct.PeriodUnit {
    init(_ unit: StoreProduct.Period.Unit) {
        switch unit {
        case .day: self = .day
        case .week: self = .week
        case .month: self = .month
        case .year: self = .year
        }
    }

    /// The unit as stores represent it.
    package var value: StoreProduct.Period.Unit {
        switch self {
        case .day: .day
        case .week: .week
        case .month: .month
        case .year: .year
        }
    }
}

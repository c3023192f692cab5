import Foundation

/// A duration in calendar units: two weeks are the unit ``SKProductPeriodUnit/week``, twice.
///
/// May be read on any thread. Two are equal if unit and number are.
// unchecked: `period` is written by initializers only, and what key-value coding changes is behind a lock.
open class SKProductSubscriptionPeriod: NSObject, @unchecked Sendable {
    private final var period: StoreProduct.Period
    private let changes = KeyedChanges()

    /// Creates a period of zero days, to be filled in by a subclass or by ``setValue(_:forKey:)``.
    public override init() {
        period = StoreProduct.Period(0, .day)
        super.init()
    }

    /// Creates a period of a number of units, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    public convenience init(numberOfUnits: Int, unit: SKProduct.PeriodUnit) {
        self.init(StoreProduct.Period(numberOfUnits, unit.value ?? .day))
        if unit.value == nil { changes.set("unit", to: unit) }
    }

    convenience init(_ period: StoreProduct.Period) {
        self.init()
        self.period = period
    }

    /// The number of units.
    open var numberOfUnits: Int { changes.value("numberOfUnits", else: period.count) }

    /// The unit.
    open var unit: SKProduct.PeriodUnit { changes.value("unit", else: SKProduct.PeriodUnit(period.unit)) }

    /// Whether the other object is a period of the same unit and number.
    override open func isEqual(_ object: Any?) -> Bool {
        (object as? SKProductSubscriptionPeriod).map { $0.unit == unit && $0.numberOfUnits == numberOfUnits } ?? false
    }

    /// A hash of unit and number.
    override open var hash: Int {
        var hasher = Hasher()
        hasher.combine(unit)
        hasher.combine(numberOfUnits)
        return hasher.finalize()
    }

    #if canImport(ObjectiveC)
        override open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        override open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #else
        /// Sets a property by its name, for tests that prepare objects that way.
        ///
        /// An unknown name or a value of another type traps. A unit may be given as its raw value.
        open func setValue(_ value: Any?, forKey key: String) { write(value, key, in: Self.keys) }
        /// Returns the value of a property by its name.
        ///
        /// An unknown name traps.
        open func value(forKey key: String) -> Any? { read(key, in: Self.keys) }
    #endif
}

extension SKProductSubscriptionPeriod: KeyValueCoded {
    private static let keys: [String: KeyedProperty<SKProductSubscriptionPeriod>] = [
        "numberOfUnits": KeyedProperty(\.numberOfUnits, .integer) { $0.changes.set("numberOfUnits", to: $1) },
        "unit": KeyedProperty(\.unit, .cases) { $0.changes.set("unit", to: $1) },
    ]
}

import Foundation

/// A duration in calendar units: two weeks are the unit ``SKProductPeriodUnit/week``, twice.
///
/// May be read on any thread. Two are equal if unit and number are.
// unchecked: `period` is written by initializers only, and what key-value coding changes is behind a lock.
open class SKProductSubscriptionPeriod: KeyValueObject, @unchecked Sendable {
    private final var period: StoreProduct.Period
    private let changes = KeyedChanges()

    /// Creates a period of zero days, to be filled in by a subclass or by ``KeyValueObject/setValue(_:forKey:)``.
    public override init() {
        period = StoreProduct.Period(0, .day)
        super.init()
    }

    /// Creates a period of a number of units, for tests.
    ///
    /// Apple's Store Kit has no such initializer.
    public convenience init(numberOfUnits: Int, unit: SKProduct.PeriodUnit) {
        self.init(StoreProduct.Period(numberOfUnits, unit.value))
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

    override class var properties: [String: KeyedProperty] { keys }
}

extension SKProductSubscriptionPeriod: ChangeKeeper {
    func keep(_ value: Any, for key: String) { changes.set(key, to: value) }

    private static let keys = Dictionary(
        named: KeyedProperty("numberOfUnits", \SKProductSubscriptionPeriod.numberOfUnits, .integer),
        KeyedProperty("unit", \SKProductSubscriptionPeriod.unit, .cases)
    )
}

import Foundation

/// A value by which the rows of a list are sorted.
package enum RowKey: Hashable, Comparable, Sendable {
    case number(Int)
    case text(String)
    case amount(Decimal)
}

/// The place of a row in a sorted list, which stays valid while other rows are added or removed.
package struct RowPlace: Hashable, Sendable {
    /// The value by which the row is sorted.
    package let key: RowKey
    /// The number of the row, which no other row has; of rows with equal keys, the newest comes first.
    package let number: Int

    /// Creates a place from its parts.
    package init(_ key: RowKey, _ number: Int) { (self.key, self.number) = (key, number) }

    func isBefore(_ other: RowPlace, ascending: Bool) -> Bool {
        if key == other.key { return number > other.number }
        return ascending ? key < other.key : other.key < key
    }
}

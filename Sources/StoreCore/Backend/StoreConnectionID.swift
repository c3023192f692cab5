/// The name of a connection to an ``ImmediateStore``, unique within the store.
package struct StoreConnectionID: Hashable, Sendable, Comparable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }
    package static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

import StoreCore

/// A function that returns a backend in place of a device's: the backend itself, or one that violates a promise.
package typealias StandIn = @Sendable (any StoreBackend) -> any StoreBackend

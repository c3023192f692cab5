import StoreCore

/// An action of a fault injector once its lock is free.
enum InjectorAction: Sendable {
    case run(@Sendable () -> Void)
    case drain(Relay)
    case fail(Call, StoreFailure)
    /// The same, but the store is called first and its answer is discarded.
    case failAfter(Call, StoreFailure, @Sendable () -> Void)
    case detach(Relay)
    case wake(Int, after: Double)
    case cancel(TimerToken)
}

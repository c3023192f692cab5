import Foundation
import StoreCore

/// A launch of a simulated app.
public final class AppLaunch: Sendable {
    /// The number of the launch, from 0.
    public let number: Int
    /// What the app keeps between launches.
    public let storage: AppStorage
    private let clock: ManualClock

    init(number: Int, storage: AppStorage, clock: ManualClock) {
        self.number = number
        self.storage = storage
        self.clock = clock
    }

    /// The date by the store's clock.
    ///
    /// Apps have to ask for it here where they compare dates: `Date()` is the real date, which does not move with the run.
    public var now: Date { clock.now }
}

import Foundation

/// A clock that can be moved forward, on command.
package protocol MovableClock: StoreClock {
    /// Moves the clock forward, firing due timers on the way and settling at each deadline.
    ///
    /// - Parameter interval: seconds, not negative.
    /// - Throws: ``ClockError`` where it cannot be moved by this interval. The clock has not been moved then.
    func advanceThrowing(by interval: TimeInterval) throws
}

extension ManualClock: MovableClock {}

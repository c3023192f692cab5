import Foundation

/// An object with work of its own.
package protocol ActivityPulse: AnyObject, Sendable {
    /// Whether nothing is under way, and a number that changes with every piece of work.
    var pulse: (isQuiet: Bool, work: Int) { get }
}

/// A member of an activity, for which settling waits: a queue's driver, a store, a clock.
package protocol ActivityMember: ActivityPulse {
    /// An object with the same pulse that may be retained while a clock moves, without keeping work alive; nil if there
    /// is none.
    var keepable: (any ActivityPulse)? { get }
    /// Makes the callbacks that wait for the calling thread. Returns false if there are none.
    func drainHere() -> Bool
    /// The outside acts that the member waits for, a line each.
    var waitingFor: [String] { get }
    /// The callbacks that are being made now; nil if there are none.
    var callbacksUnderWay: CallbacksUnderWay? { get }
    /// Returns the reason why the clock cannot move to a moment in one step, as a sentence; nil if it can.
    ///
    /// Default: nil.
    func objection(toMovingTo moment: Date, from now: Date) -> String?
}

extension ActivityMember {
    package var keepable: (any ActivityPulse)? { nil }
    package var callbacksUnderWay: CallbacksUnderWay? { nil }
    package func objection(toMovingTo moment: Date, from now: Date) -> String? { nil }
}

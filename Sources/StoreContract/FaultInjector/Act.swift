import Foundation
import StoreCore

extension FaultInjector {
    /// What is done to something that passes.
    ///
    /// A *call* is a submission, a look-up, a receipt refresh or the fetching of a download's bytes: whoever makes it waits for
    /// an answer. Everything else that passes belongs to a *connection*, but for acknowledgements, whose loss nobody is told
    /// of, and the country, of which ``FaultInjector/Point/storefrontRead`` says what can be done to it.
    public enum Act: Hashable, Codable, Sendable {
        /// Lets it pass.
        ///
        /// A rule that does this makes an exception from those behind it.
        case pass
        /// It is lost, and only time tells.
        ///
        /// After ``FaultInjector/timeout`` the call fails with `URLError.timedOut`; a connection of which anything was lost
        /// breaks with that, unless the queue has noticed a gap before and connected anew. What a lost answer speaks of
        /// has happened.
        case drop
        /// It arrives so many seconds later, by the store's clock.
        ///
        /// Updates behind a delayed one on the same connection wait for it. Calls do not wait for each other. A delay
        /// longer than ``FaultInjector/timeout`` makes its call fail at the timeout; what is delayed still arrives, and
        /// an answer to it goes to nobody.
        case delay(TimeInterval)
        /// It arrives twice.
        case duplicate
        /// It arrives, and once more so many seconds later, out of its place among updates.
        case echo(after: TimeInterval)
        /// It changes places with the next at this point; among updates, with the next on the same connection.
        ///
        /// If none comes within ``FaultInjector/timeout`` it arrives by itself. What it changes places with is not
        /// reordered again.
        case reorder
        /// Everything breaks: all that is under way is lost, held and delayed things too.
        ///
        /// Every connected queue hears `connectionLost`, then every call fails, with `URLError.networkConnectionLost`. What
        /// has reached the store has happened. Whatever comes afterwards passes again.
        case cut
        /// It has its effect in the store, and the answer is lost: `URLError.networkConnectionLost` comes at once.
        ///
        /// Of an update or a connection the answer is the updates: the connection breaks. An acknowledgement, which has
        /// no answer, passes.
        case loseAnswer
        /// It waits for ``FaultInjector/release(_:as:)``, however long.
        ///
        /// Updates behind a held one on the same connection wait too.
        case hold
        /// This comes at once, in the place of an answer.
        ///
        /// What was on its way to the store does not arrive; what an answer speaks of has happened. A connection breaks
        /// with the failure; a submission is told to try later, and why.
        case fail(StoreFailure)
    }
}

extension FaultInjector.Act: CustomStringConvertible {
    /// What was done, for the log.
    public var description: String {
        switch self {
        case .pass: "passed"
        case .drop: "dropped"
        case .delay(let seconds): "delayed by \(seconds) s"
        case .duplicate: "duplicated"
        case .echo(let seconds): "to come again after \(seconds) s"
        case .reorder: "to go behind the next"
        case .cut: "everything cut"
        case .loseAnswer: "answer lost"
        case .hold: "held"
        case .fail(let failure): "failed with \(failure)"
        }
    }

    /// What is wrong with it, nil for nothing.
    var flaw: String? {
        switch self {
        case .delay(let seconds), .echo(let seconds):
            seconds.isFinite && seconds >= 0 ? nil : "\(seconds) is no number of seconds to wait"
        default: nil
        }
    }
}

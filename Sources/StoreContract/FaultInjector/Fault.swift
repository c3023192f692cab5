import Foundation
import StoreCore

extension FaultInjector {
    /// A fault that is injected into something that passes.
    ///
    /// A *call* is a submission, a look-up, a receipt refresh or the fetching of a download's bytes: its caller waits
    /// for an answer. Everything else that passes belongs to a *connection*, except acknowledgements, whose loss is not
    /// reported, and the country, whose faults ``FaultInjector/Point/storefrontRead`` describes.
    public enum Fault: Hashable, Codable, Sendable {
        /// No fault: it passes.
        ///
        /// A rule with this makes an exception from the rules behind it.
        case pass
        /// A loss that shows only after the timeout.
        ///
        /// After ``FaultInjector/timeout`` the call fails with `URLError.timedOut`. A connection that lost anything
        /// breaks with that error, unless the queue has noticed a gap before and reconnected. If an answer is lost, its
        /// call has taken effect.
        case drop
        /// A delay of so many seconds, by the store's clock.
        ///
        /// Updates behind a delayed one on the same connection wait for it. Calls do not wait for each other. A delay
        /// longer than ``FaultInjector/timeout`` makes its call fail at the timeout. The delayed call still arrives,
        /// and an answer to it is discarded.
        case delay(TimeInterval)
        /// A duplicate: it arrives twice.
        case duplicate
        /// A late duplicate: it arrives, and once more so many seconds later, out of its place among updates.
        case echo(after: TimeInterval)
        /// An exchange of places with the next at this point; among updates, with the next on the same connection.
        ///
        /// If none comes within ``FaultInjector/timeout`` it arrives by itself. The one that it changes places with is
        /// not reordered again.
        case reorder
        /// A break of everything: all that is in flight is lost, held and delayed messages too.
        ///
        /// Every connected queue hears `connectionLost`, then every call fails, with `URLError.networkConnectionLost`.
        /// What has reached the store has taken effect. Whatever comes afterwards passes again.
        case cut
        /// A lost answer: it takes effect in the store, and `URLError.networkConnectionLost` comes at once.
        ///
        /// The answer to an update or a connection is the updates: the connection breaks. An acknowledgement, which has
        /// no answer, passes.
        case loseAnswer
        /// A wait until ``FaultInjector/release(_:as:)``, however long.
        ///
        /// Updates behind a held one on the same connection wait too.
        case hold
        /// A failure that comes at once in place of an answer.
        ///
        /// A request does not arrive at the store; a request whose answer fails has taken effect. A connection breaks
        /// with the failure; a submission is told to try later, and why.
        case fail(StoreFailure)
    }
}

extension FaultInjector.Fault: CustomStringConvertible {
    /// The fault, for the log.
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

    /// The fault's invalid parameter, in words; nil if there is none.
    var flaw: String? {
        switch self {
        case .delay(let seconds), .echo(let seconds):
            seconds.isFinite && seconds >= 0 ? nil : "\(seconds) is no number of seconds to wait"
        default: nil
        }
    }
}

import Foundation
import StoreCore

extension FaultInjector {
    /// A fault that is injected into a message.
    ///
    /// A *call* is a submission, a look-up, a receipt refresh or a request for a download's bytes: its caller waits for
    /// a reply. Every other message belongs to a *connection*, with two exceptions: the loss of an acknowledgement is
    /// not reported, and ``FaultInjector/Point/storefrontRead`` describes the faults of a read of the country.
    ///
    /// Later versions may add cases: a `switch` needs a `default`.
    public enum Fault: Hashable, Codable, Sendable {
        /// No fault: the message passes.
        ///
        /// A rule with this fault exempts messages from the rules after it.
        case pass
        /// A loss that is noticed only after the timeout.
        ///
        /// After ``FaultInjector/timeout`` the call fails with `URLError.timedOut`. A connection that has lost a
        /// message breaks with the same error, unless the queue noticed the gap earlier and reconnected. A call whose
        /// reply is lost has taken effect.
        case drop
        /// A delay in seconds, by the store's clock.
        ///
        /// Updates after a delayed one on the same connection wait for it. Calls do not wait for each other. A delay
        /// longer than ``FaultInjector/timeout`` makes its call fail at the timeout. The delayed call still arrives,
        /// and the reply to it is discarded.
        case delay(TimeInterval)
        /// A duplicate: the message arrives twice.
        case duplicate
        /// A late duplicate: the message arrives immediately, and again after some seconds by the store's clock.
        ///
        /// The second copy of an update arrives out of order.
        case echo(after: TimeInterval)
        /// A swap with the next message at this point; among updates, with the next on the same connection.
        ///
        /// If no other message follows within ``FaultInjector/timeout``, the message arrives by itself. The other
        /// message is not reordered again.
        case reorder
        /// A break of all connections and calls: all messages in flight are lost, including held and delayed ones.
        ///
        /// Every connected queue receives `connectionLost`, and then every waiting call fails, both with
        /// `URLError.networkConnectionLost`. Messages that have reached the store have taken effect. Later messages
        /// pass again.
        case cut
        /// A lost reply: the call takes effect, and fails immediately with `URLError.networkConnectionLost`.
        ///
        /// At ``FaultInjector/Point/connection`` and ``FaultInjector/Point/update`` the connection breaks instead. An
        /// acknowledgement has no reply to lose, so it passes.
        case loseAnswer
        /// A wait until ``FaultInjector/release(_:as:)``, without a time limit.
        ///
        /// Updates after a held one on the same connection wait too.
        case hold
        /// An immediate failure.
        ///
        /// A request that fails does not arrive at the store; a request whose reply fails has taken effect. A
        /// submission receives the reply `tryLater` with the failure. A connection breaks with the failure.
        case fail(StoreFailure)
    }
}

extension FaultInjector.Fault: CustomStringConvertible {
    /// The fault's text in the log.
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

    /// A description of the fault's invalid parameter; nil if the fault is valid.
    var flaw: String? {
        switch self {
        case .delay(let seconds), .echo(let seconds):
            seconds.isFinite && seconds >= 0 ? nil : "\(seconds) is no number of seconds to wait"
        default: nil
        }
    }
}

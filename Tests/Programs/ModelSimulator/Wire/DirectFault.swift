import Foundation
import StoreContract
import StoreCore

/// A failure of an exchange on the direct transport.
enum DirectFault {
    /// The store refuses everything, and says so.
    case refusal(StoreFailure)
    /// The store takes everything twice.
    case repetition
    /// The store takes everything, and its answer is lost.
    case lostAnswer(StoreFailure)
    /// The store cannot be reached.
    case loss(StoreFailure)
}

/// The end of a wait for a late ring.
enum RingDelay { case release, seconds(Double) }

// Faults planned for a wire, translated to the direct transport.
extension FaultInjector.Fault {
    /// The time after which a loss shows, in seconds.
    private static let timeout = 60.0
    private static let lost = StoreFailure.network(.networkConnectionLost, "the connection is cut")
    private static let timedOut = StoreFailure.network(.timedOut, "the store does not answer")

    var faultForCommands: DirectFault? {
        switch self {
        case .fail(let failure): .refusal(failure)
        case .delay, .hold, .reorder: .refusal(Self.timedOut)
        case .duplicate, .echo: .repetition
        case .loseAnswer: .lostAnswer(Self.lost)
        case .drop: .loss(Self.timedOut)
        case .cut: .loss(Self.lost)
        case .pass: nil
        }
    }

    var faultForAnswer: DirectFault? {
        switch self {
        case .fail(let failure): .lostAnswer(failure)
        case .drop, .delay, .hold, .reorder: .lostAnswer(Self.timedOut)
        case .loseAnswer, .cut: .lostAnswer(Self.lost)
        case .duplicate, .echo, .pass: nil
        }
    }

    /// The failure by which a connection is lost when it is opened or has news.
    var loss: StoreFailure? {
        switch self {
        case .fail(let failure): failure
        case .drop: Self.timedOut
        case .cut, .loseAnswer: Self.lost
        case .delay, .hold, .reorder, .duplicate, .echo, .pass: nil
        }
    }

    /// The delay of a ring.
    var wait: RingDelay? {
        switch self {
        case .hold: .release
        case .delay(let seconds): .seconds(seconds)
        case .reorder: .seconds(Self.timeout)
        case .drop, .cut, .loseAnswer, .fail, .duplicate, .echo, .pass: nil
        }
    }
}

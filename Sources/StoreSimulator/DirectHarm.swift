import Foundation
import StoreContract
import StoreCore

/// A failure of an exchange on the direct road.
enum DirectHarm {
    /// The store takes nothing, and says so.
    case refusal(StoreFailure)
    /// The store takes everything twice.
    case repetition
    /// The store takes everything, and cannot say so any more.
    case lostAnswer(StoreFailure)
    /// The store is not there.
    case loss(StoreFailure)
}

/// The end of a wait for a ring that is late.
enum RingDelay { case release, seconds(Double) }

// What acts that are planned for a wire come to on the direct road.
extension FaultInjector.Act {
    /// After how many seconds something shows that waits for what does not come.
    private static let timeout = 60.0
    private static let lost = StoreFailure.network(.networkConnectionLost, "the road is cut")
    private static let timedOut = StoreFailure.network(.timedOut, "nobody is on the road")

    var harmToCommands: DirectHarm? {
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

    var harmToAnswer: DirectHarm? {
        switch self {
        case .fail(let failure): .lostAnswer(failure)
        case .drop, .delay, .hold, .reorder: .lostAnswer(Self.timedOut)
        case .loseAnswer, .cut: .lostAnswer(Self.lost)
        case .duplicate, .echo, .pass: nil
        }
    }

    /// Why a connection that is opened, or has news, is lost.
    var loss: StoreFailure? {
        switch self {
        case .fail(let failure): failure
        case .drop: Self.timedOut
        case .cut, .loseAnswer: Self.lost
        case .delay, .hold, .reorder, .duplicate, .echo, .pass: nil
        }
    }

    /// How long a ring is held up.
    var wait: RingDelay? {
        switch self {
        case .hold: .release
        case .delay(let seconds): .seconds(seconds)
        case .reorder: .seconds(Self.timeout)
        case .drop, .cut, .loseAnswer, .fail, .duplicate, .echo, .pass: nil
        }
    }
}

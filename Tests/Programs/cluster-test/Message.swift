import Dispatch
import Foundation

/// A message that a process prints before it can be killed: a line of JSON on its standard output.
///
/// A purchase is known by the number that the app gave its payment, any other transaction by its identifier.
enum Message: Hashable, Codable {
    /// An app is about to add a payment.
    case adding(String)
    /// It was shown an undecided payment, which the store or the journal has.
    case purchasing(String)
    /// It was told that a payment was paid, by a transaction.
    case purchased(String, transaction: String)
    case restored(String)
    /// It was told of a subscription's renewal.
    case renewed(String)
    case failed(String)
    /// A decided transaction has been in the list for long, and it was not told of it.
    case untold(String)
    case finishing(String)
    /// It was told that a transaction is gone.
    case removed(String, transaction: String)
    /// It has heard all unfinished transactions, and what the journal had is done.
    case ready
    /// Everything is finished, and the store has taken it.
    case settled
    /// A server is about to add an account.
    case hiring(String)
    /// It has added the account, and was told so.
    case hired(String)
    /// The store could be opened, and is served on a port.
    case serving(port: Int)
    /// The state was written to a file.
    case wrote
    /// A change was accepted.
    case accepted
    /// A change was refused, with an error's code.
    case refused(String)

    /// Whether a command was refused.
    var isRefusal: Bool { if case .refused = self { true } else { false } }
    /// Whether a server serves.
    var isServing: Bool { if case .serving = self { true } else { false } }
}

/// A message with its time, by a clock that all processes of the machine share.
struct StampedMessage: Codable {
    /// Nanoseconds.
    var time = DispatchTime.now().uptimeNanoseconds
    let message: Message
}

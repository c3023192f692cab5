/// A message that a process prints before it can be killed: a line on its standard output.
///
/// A purchase is known by the name that the app gave its payment, a restored transaction by its identifier.
enum Message: Equatable {
    /// An app is about to add a payment.
    case adding(String)
    /// It was shown an undecided payment, which the store or the journal has.
    case purchasing(String)
    /// It was told that a payment was paid, by a transaction.
    case purchased(String, transaction: String)
    case restored(String)
    case failed(String)
    case finishing(String)
    /// It was told that a transaction is gone.
    case removed(String, transaction: String)
    /// It has heard all unfinished transactions, and what the journal had is done.
    case ready
    /// Everything is finished.
    case settled
    /// A server has added an account, and was told so.
    case hired(String)
    /// The store could be opened.
    case opened
    /// The state was written to a file.
    case wrote
    /// A change was accepted.
    case accepted
    /// A change was refused, with an error's code.
    case refused(String)

    var line: String {
        switch self {
        case .adding(let name): "adding \(name)"
        case .purchasing(let name): "purchasing \(name)"
        case .purchased(let name, let transaction): "purchased \(name) \(transaction)"
        case .restored(let transaction): "restored \(transaction)"
        case .failed(let reason): "failed \(reason)"
        case .finishing(let name): "finishing \(name)"
        case .removed(let name, let transaction): "removed \(name) \(transaction)"
        case .hired(let name): "hired \(name)"
        case .refused(let code): "refused \(code)"
        case .ready: "ready"
        case .settled: "settled"
        case .opened: "opened"
        case .wrote: "wrote"
        case .accepted: "accepted"
        }
    }

    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("adding", 2): self = .adding(words[1])
        case ("purchasing", 2): self = .purchasing(words[1])
        case ("purchased", 3): self = .purchased(words[1], transaction: words[2])
        case ("restored", 2): self = .restored(words[1])
        case ("failed", _): self = .failed(words.dropFirst().joined(separator: " "))
        case ("finishing", 2): self = .finishing(words[1])
        case ("removed", 3): self = .removed(words[1], transaction: words[2])
        case ("hired", 2): self = .hired(words[1])
        case ("refused", 2): self = .refused(words[1])
        case ("ready", 1): self = .ready
        case ("settled", 1): self = .settled
        case ("opened", 1): self = .opened
        case ("wrote", 1): self = .wrote
        case ("accepted", 1): self = .accepted
        default: return nil
        }
    }
}

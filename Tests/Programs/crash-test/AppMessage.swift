import Foundation
import StoreCore

/// A message that an app prints before it can be killed: a line on its standard output.
///
/// A purchase is known by the name that the app gave its payment, a restored transaction by its identifier.
enum AppMessage: Equatable {
    /// The app is about to add a payment.
    case adding(String)
    /// Adding it has returned: from now on the payment must come out purchased or failed, whatever happens.
    case added(String)
    /// The app was shown an undecided payment.
    case purchasing(String)
    /// The app was told that a payment was paid, by a transaction.
    case purchased(String, transaction: String)
    /// The app was told of a restored transaction.
    case restored(String)
    /// The app was told something impossible.
    case failed(String)
    /// The app is about to finish the transaction with a name.
    case finishing(String)
    /// The app has finished it, and has heard that it is gone.
    case finished(String)
    /// The app is running, and has heard all unfinished transactions.
    case ready

    var line: String {
        switch self {
        case .adding(let name): "adding \(name)"
        case .added(let name): "added \(name)"
        case .purchasing(let name): "purchasing \(name)"
        case .purchased(let name, let transaction): "purchased \(name) \(transaction)"
        case .restored(let transaction): "restored \(transaction)"
        case .failed(let reason): "failed \(reason)"
        case .finishing(let name): "finishing \(name)"
        case .finished(let name): "finished \(name)"
        case .ready: "ready"
        }
    }

    /// Prints the message at once: nothing printed is lost with the process.
    func say() { try? FileHandle.standardOutput.write(contentsOf: Data("\(line)\n".utf8)) }

    /// Returns a name for a payment: a UUID, as Store Kit 2 takes one.
    static func newName(_ random: inout SplitMix64) -> String {
        var uuid = UUID().uuid
        withUnsafeMutableBytes(of: &uuid) { bytes in
            for index in bytes.indices { bytes[index] = UInt8(truncatingIfNeeded: random.next()) }
        }
        return UUID(uuid: uuid).uuidString.lowercased()
    }

    init?(_ line: Substring) {
        let words = line.split(separator: " ", maxSplits: 2).map(String.init)
        switch (words.first, words.count) {
        case ("adding", 2): self = .adding(words[1])
        case ("added", 2): self = .added(words[1])
        case ("purchasing", 2): self = .purchasing(words[1])
        case ("purchased", 3): self = .purchased(words[1], transaction: words[2])
        case ("restored", 2): self = .restored(words[1])
        case ("failed", _): self = .failed(words.dropFirst().joined(separator: " "))
        case ("finishing", 2): self = .finishing(words[1])
        case ("finished", 2): self = .finished(words[1])
        case ("ready", 1): self = .ready
        default: return nil
        }
    }
}

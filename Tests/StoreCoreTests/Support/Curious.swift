import Foundation
import StoreCore

/// A ledger that looks at something whenever it is appended to.
final class CuriousLedger: Ledger {
    private let kept = MemoryLedger()
    private let look: @Sendable () -> Void

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    var head: Int { kept.head }

    func append(_ records: [LedgerRecord], ifHeadIs head: Int) -> Bool {
        look()
        return kept.append(records, ifHeadIs: head)
    }

    func commit() {}
    func read(after position: Int, limit: Int) -> [LedgerRecord] { kept.read(after: position, limit: limit) }
}

/// A clock that looks at something whenever it is asked.
final class CuriousClock: StoreClock {
    private let kept = ManualClock()
    private let look: @Sendable () -> Void

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    var activity: Activity { kept.activity }

    var now: Date {
        look()
        return kept.now
    }

    func schedule(at deadline: Date, _ body: @escaping @Sendable () -> Void) -> TimerToken {
        kept.schedule(at: deadline, body)
    }
}

/// A signer that looks at something whenever a signature is checked.
final class CuriousSigner: OfferSigner {
    private let kept = HMACOfferSigner()
    private let look: @Sendable () -> Void

    init(_ look: @escaping @Sendable () -> Void) { self.look = look }

    var keyIdentifier: String { kept.keyIdentifier }
    func sign(_ message: Data) throws -> Data { kept.sign(message) }

    func isValid(signature: Data, for message: Data) -> Bool {
        look()
        return kept.isValid(signature: signature, for: message)
    }
}

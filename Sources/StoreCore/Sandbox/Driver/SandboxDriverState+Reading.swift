import Foundation

// What is read of a store without changing it.
extension SandboxDriverState {
    /// Reads the whole ledger.
    func forEachRecord(_ body: (LedgerRecord) -> Void) throws {
        var position = 0
        while position < state.position {
            let next = try records.read(after: position, limit: min(1024, state.position - position))
            if next.isEmpty { return }
            position += next.count
            for record in next { body(record) }
        }
    }

    /// What waits for a decision, oldest first.
    func questions(at now: Date, where isMeant: (Int) -> Bool = { _ in true }) -> [AuthorizationRequest] {
        state.undecided.filter { $0 < firstDoubtful ?? .max && isMeant($0) }.compactMap { question(about: $0, at: now) }
    }

    /// What somebody is to be asked about a transaction; nil if it is decided.
    func question(about transaction: Int, at now: Date) -> AuthorizationRequest? {
        state.question(about: transaction, at: now, settings.rules.renewalRate)
    }
}

extension SandboxDriverState {
    /// Puts other rules of offers in the place of the store's; the second time, those back.
    mutating func swapOffers(_ offers: inout OfferSigning?) {
        guard var other = offers else { return }
        swap(&settings.rules.offers, &other)
        offers = other
    }
}

extension SandboxState {
    /// Takes in what a ledger has beyond this.
    mutating func read(_ records: StoreRecords) throws {
        while true {
            let new = try records.read(after: position, limit: 1024)
            for record in new { apply(record) }
            if new.count < 1024 { return }
        }
    }
}

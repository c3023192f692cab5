import Foundation

// Reads of a store that do not change it.
extension SandboxDriverState {
    /// Reads the ledger after a position; throws if it returns fewer records than the store has applied.
    func forEachRecord(after position: Int = 0, _ body: (LedgerRecord) -> Void) throws {
        var position = position
        while position < state.position {
            let next = try records.read(after: position, limit: min(1024, state.position - position))
            guard !next.isEmpty else { throw StoreFailure.cutShort(at: position) }
            position += next.count
            for record in next { body(record) }
        }
    }

    /// Returns the questions that wait for a decision, oldest first.
    func questions(at now: Date, where isMeant: (TransactionNumber) -> Bool = { _ in true }) -> [AuthorizationRequest] {
        state.undecided.filter { number in firstDoubtful.map { number < $0 } ?? true && isMeant(number) }
            .compactMap { question(about: $0, at: now) }
    }

    /// Returns the question about a transaction; nil if it is decided.
    func question(about transaction: TransactionNumber, at now: Date) -> AuthorizationRequest? {
        state.question(about: transaction, at: now, settings.rules.renewalRate)
    }
}

extension SandboxDriverState {
    /// Swaps the store's rules of offers for others; a second call swaps them back.
    mutating func swapOffers(_ offers: inout OfferSigning?) {
        guard var other = offers else { return }
        swap(&settings.rules.offers, &other)
        offers = other
    }
}

extension SandboxState {
    /// Applies the next event; so does the store's index, if there is one.
    @inline(__always)
    mutating func apply(_ record: LedgerRecord, with index: TransactionIndex?) {
        if let index { index.take(record, in: &self) } else { apply(record) }
    }

    /// Applies the records that a ledger has beyond this state.
    mutating func read(_ records: StoreRecords, with index: TransactionIndex? = nil) throws {
        while true {
            let new = try records.read(after: position, limit: 1024)
            for record in new { apply(record, with: index) }
            if new.count < 1024 { return }
        }
    }
}

extension StoreFailure {
    /// The error of a ledger that does not return records which the store has applied: what is read from it would be
    /// out of date.
    static func cutShort(at position: Int) -> StoreFailure {
        .storeKit(.unknown, "the ledger returns nothing after its record \(position), although the store has seen more")
    }
}

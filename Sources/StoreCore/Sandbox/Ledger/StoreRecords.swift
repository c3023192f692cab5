/// The records of a sandbox store: its own in memory, or those of a ledger that others may share.
///
/// The store's own records have no lock: the store's lock guards them.
struct StoreRecords: Sendable {
    private var own = PackedRecords()
    /// The shared ledger, nil for records of the store's own.
    let ledger: (any Ledger)?
    /// The ledger, if stores take turns on it.
    let turns: (any TurnTakingLedger)?

    init(_ ledger: (any Ledger)?) {
        self.ledger = ledger
        turns = ledger as? any TurnTakingLedger
    }

    /// The number of records.
    var head: Int { get throws { if let ledger { try ledger.head } else { own.count } } }

    /// Appends and commits records.
    ///
    /// Returns false, with nothing appended, if the ledger has records that the store has not seen yet.
    @inline(__always)
    mutating func append(_ records: [LedgerRecord], ifHeadIs head: Int) throws -> Bool {
        guard let ledger else {
            for index in records.indices { own.append(records[index]) }
            return true
        }
        guard try ledger.append(records, ifHeadIs: head) else { return false }
        try ledger.commit()
        return true
    }

    /// Appends and commits one record; returns false, with nothing appended, if there are records not seen yet.
    @inline(__always)
    mutating func append(_ record: LedgerRecord, ifHeadIs head: Int) throws -> Bool {
        if ledger != nil { return try append([record], ifHeadIs: head) }
        own.append(record)
        return true
    }

    /// Returns records in order, fewer than `limit` only at the end.
    func read(after position: Int, limit: Int) throws -> [LedgerRecord] {
        guard let ledger else { return own.read(after: position, limit: limit) }
        return try ledger.read(after: position, limit: limit)
    }
}

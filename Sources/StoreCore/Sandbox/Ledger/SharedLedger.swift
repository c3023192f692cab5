/// A ledger to which stores in other processes append too, and which reports that they have.
///
/// A store on it learns of what others append without being used, and tells its queues.
public protocol SharedLedger: DurableLedger {
    /// Adds a listener, to be told when another store may have appended records.
    ///
    /// The ledger keeps a weak reference. It may tell a listener that nothing has come, and it may be late; it is never
    /// silent for good, whatever is lost on the way.
    ///
    /// - Parameter listener: is told on a thread of the ledger's, with no lock held, one call at a time.
    func add(_ listener: any LedgerListener)
}

/// The recipient of the news that a ledger may have grown.
public protocol LedgerListener: AnyObject, Sendable {
    /// Reports that other stores may have appended records. It may call the ledger.
    func ledgerMayHaveGrown()
}

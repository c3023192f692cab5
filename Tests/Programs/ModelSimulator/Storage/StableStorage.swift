import StoreCore

/// The storage of a machine that survives a crash: a store's ledger, or the journal of a device's app.
///
/// Used on one thread.
package protocol StableStorage: AnyObject {
    /// Starts a process on what has been kept.
    ///
    /// Called once before each ``crash()``.
    ///
    /// - Parameter isOver: returns whether the process has crashed. Code that waits for a disk calls it before
    ///   each operation of the disk, and keeps nothing from then on.
    /// - Returns: the ledger and the journal, of which the process uses one.
    /// - Throws: an error that describes a flaw in the stored data.
    func open(isOver: @escaping @Sendable () -> Bool) throws -> (ledger: any Ledger, journal: any QueueJournal)

    /// Crashes the process and its machine: whatever no commit has made durable may be lost.
    ///
    /// - Throws: the error that prevented the loss.
    func crash() throws

    /// Removes the stored data after the run.
    func remove()
}

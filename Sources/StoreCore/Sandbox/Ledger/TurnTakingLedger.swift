/// A ledger on which stores take turns where several append.
///
/// Otherwise each record has all but one of them decide in vain, and the slowest never succeeds. A turn saves work, and is
/// no promise: an append may still find that another store was faster.
package protocol TurnTakingLedger: SharedLedger {
    /// Waits for the caller's turn if other stores have appended lately, and learns of their records.
    ///
    /// The turn ends with the next append of the calling thread, or with ``endTurn()``. Other stores wait meanwhile.
    ///
    /// - Returns: whether it has learned of records.
    func beginTurn() -> Bool

    /// Ends the calling thread's turn, if it has one.
    func endTurn()
}

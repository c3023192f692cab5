/// The history of a store in the same process, which is asked by value for what a purchase has just made.
package protocol ImmediateHistory: HistoryService {
    /// Returns one of the account's transactions; nil if it has none of that identifier.
    ///
    /// - Throws: the reason why there is no answer, a ``StoreFailure``.
    func transaction(_ identifier: String) throws -> SignedValue<TransactionPayload>?
}

import Foundation

/// One record of a store's ledger: an event, and its date by the store's clock.
///
/// Its content is private to the store. A ledger keeps records in order and returns them unchanged; a durable ledger
/// encodes them, in a form that later versions of the store can read.
public struct LedgerRecord: Hashable, Codable, Sendable {
    /// The date of the event, by the store's clock.
    ///
    /// A ledger's dates ascend, but for the purchases that a test dates in the past, and their renewals.
    public let date: Date
    let event: StoreEvent
}

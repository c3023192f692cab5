import Foundation

/// One record of a store's ledger: an event, and its date by the clock of the store that appended it.
///
/// Its content is private to the store. A ledger keeps records in order and returns them unchanged; a durable ledger
/// encodes them, in a form that later versions of the store can read.
public struct LedgerRecord: Hashable, Codable, Sendable {
    /// The date of the event, by the clock of the store that appended it.
    ///
    /// The dates that one store appends ascend as its clock does, but for the purchases that a test dates in the past, and
    /// their renewals. Stores in several processes have a clock each: from a record of one to a record of another, dates may
    /// go back. The order of events is that of the records.
    public let date: Date
    let event: StoreEvent
}

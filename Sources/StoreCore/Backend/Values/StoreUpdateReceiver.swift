/// The queue's end of a connection.
///
/// Any thread may call, one at a time for each connection and in the order of the updates.
public protocol StoreUpdateReceiver: AnyObject, Sendable {
    /// The name under which the queue numbers its commands. A store need not report to a queue the finishes that it
    /// requested itself.
    var journal: JournalID { get }
    /// Accepts a batch of updates. Repetitions are harmless.
    func receive(_ batch: UpdateBatch)
    /// Reports the loss of the connection. The queue reconnects from its cursor, after a pause.
    func connectionLost(_ failure: StoreFailure)
}

/// The receiver of the updates that ``AsyncStoreBackend/sendUpdates(after:to:)`` sends.
public struct UpdateFeed: Sendable {
    private let receiver: any StoreUpdateReceiver

    init(_ receiver: any StoreUpdateReceiver) { self.receiver = receiver }

    /// The name under which the queue numbers its commands.
    public var journal: JournalID { receiver.journal }

    /// Sends a batch of updates.
    ///
    /// Returns once the queue has accepted them; its callbacks are made elsewhere unless delivery is inline.
    public func send(_ batch: UpdateBatch) { receiver.receive(batch) }
}

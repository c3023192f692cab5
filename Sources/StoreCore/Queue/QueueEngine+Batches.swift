// What the delivery lane takes out.
extension QueueEngine {
    /// The first batch of a draining; false where somebody else came first.
    func begin(_ batch: inout DeliveryBatch) -> Bool {
        let isThere = state.withLock { state in
            batch.epoch = currentEpoch
            return state.deliveries.begin(&batch.deliveries)
        }
        batch.deliveries.turnRound()
        return isThere
    }

    /// Gives back a batch that is done, for the next one; false ends the draining.
    ///
    /// On a queue that has turns, what waits by now is scheduled for a later one.
    func take(_ batch: inout DeliveryBatch) -> Bool {
        guard !delivery.hasTurns else {
            if state.withLock({ $0.deliveries.rest(&batch.deliveries) }) { delivery.schedule(self, log) }
            return false
        }
        let isThere = state.withLock { state in
            batch.epoch = currentEpoch
            return state.deliveries.take(&batch.deliveries)
        }
        batch.deliveries.turnRound()
        return isThere
    }
}

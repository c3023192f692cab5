/// A run of a driver's store lane by one thread.
struct LaneRun {
    /// Whether the run ends before it submits commands that others have added, which must not delay a callback.
    let isShort: Bool
    /// The actions to perform, the next one last.
    var batch: [QueueMachine.StoreAction] = []
    private(set) var isOver = false
    /// Whether the run ended with actions left in the outbox.
    private(set) var leavesRest = false
    /// The connection to a store that is asked directly.
    var connection: QueueDriver.DirectConnection?

    init(isShort: Bool) { self.isShort = isShort }
}

// Called with the driver's lock held.
extension LaneRun {
    /// Begins with the machine's actions, bypassing the lane's outbox.
    ///
    /// Returns false if another thread is draining, or actions wait in the outbox.
    @inline(__always)
    mutating func beginPastOutbox(_ state: inout QueueDriver.State) -> Bool {
        guard state.lane.begin(with: &state.actions.store, &batch) else { return false }
        begun(&state)
        return true
    }

    /// Begins with the actions that a short run, or the thread that scheduled the lane, has put into the outbox.
    ///
    /// Returns false if there are none, or another thread is draining.
    @inline(__always)
    mutating func beginFromOutbox(_ state: inout QueueDriver.State) -> Bool {
        guard state.lane.begin(&batch) else { return false }
        begun(&state)
        return true
    }

    private mutating func begun(_ state: inout QueueDriver.State) {
        connection = state.direct
        batch.reverseInPlace()
    }

    /// Takes the next batch, or ends the run.
    mutating func next(_ state: inout QueueDriver.State) {
        if isShort, state.lane.isWaiting(where: \.isSubmission) {
            isOver = true
            leavesRest = state.lane.rest(&batch)
        } else {
            isOver = !state.lane.take(&batch)
            begun(&state)
        }
    }
}

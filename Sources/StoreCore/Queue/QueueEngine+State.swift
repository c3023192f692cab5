extension QueueEngine {
    /// What an engine keeps under its lock.
    struct State {
        var machine: QueueMachine
        var actions: [QueueMachine.Action] = []
        var lane = Outbox<QueueMachine.Action>()
        var deliveries = Outbox<Delivery>()
        var table = SlotTable<AnyObject>()
        var connection: EngineConnection?
        var isRetired = false
        var submissionTimer: TimerToken?
        var connectionTimer: TimerToken?
        var work = 0
    }
}

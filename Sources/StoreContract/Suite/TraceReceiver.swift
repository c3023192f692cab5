import Foundation
import StoreCore

/// A queue's end of a connection that records what arrives.
final class TraceReceiver: StoreUpdateReceiver {
    let journal: JournalID
    private let trace: MonitoredValue<Trace>
    private let state: MonitoredValue<State>

    private struct State {
        /// The index of the trace's connection that arriving batches belong to.
        var connection: Int
        /// The number of threads inside ``receive(_:)``.
        var inside = 0
        /// The longest time to spend on the next batch, in seconds; nil for none.
        var dwell: TimeInterval?
        /// The calls to make while the next batch is received.
        var calls: (@Sendable () -> Void)?
    }

    init(_ journal: JournalID, _ trace: MonitoredValue<Trace>, connection: Int) {
        self.journal = journal
        self.trace = trace
        state = MonitoredValue(State(connection: connection))
        trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.remove(id) }
    }

    deinit { trace.change { [id = ObjectIdentifier(self)] in _ = $0.released.insert(id) } }

    var connection: Int {
        get { state.read { $0.connection } }
        set { state.change { $0.connection = newValue } }
    }

    /// Takes some time over the next batch, so that a store that does not wait for its end is detected.
    func dwell(_ seconds: TimeInterval) { state.change { $0.dwell = seconds } }

    /// Calls something while the next batch is being received, on the thread that brings it.
    func callFromWithin(_ calls: @escaping @Sendable () -> Void) { state.change { $0.calls = calls } }

    func receive(_ batch: UpdateBatch) {
        let (connection, isOverlap, dwell, calls) = state.change { state in
            state.inside += 1
            defer { (state.dwell, state.calls) = (nil, nil) }
            return (state.connection, state.inside > 1, state.dwell, state.calls)
        }
        trace.change { trace in
            trace.add(batch, to: connection)
            if isOverlap { trace.overlaps += 1 }
        }
        calls?()
        if let dwell { state.wait(until: Date() + dwell) { $0.inside > 1 } }
        state.change { $0.inside -= 1 }
    }

    func connectionLost(_ failure: StoreFailure) {
        let connection = connection
        trace.change { $0.connections[connection].loss = failure }
    }
}

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
    }

    init(_ journal: JournalID, _ trace: MonitoredValue<Trace>, connection: Int) {
        self.journal = journal
        self.trace = trace
        state = MonitoredValue(State(connection: connection))
    }

    var connection: Int {
        get { state.read { $0.connection } }
        set { state.change { $0.connection = newValue } }
    }

    /// Takes some time over the next batch, so that a store that does not wait for its end is detected.
    func dwell(_ seconds: TimeInterval) { state.change { $0.dwell = seconds } }

    func receive(_ batch: UpdateBatch) {
        let (connection, isOverlap, dwell) = state.change { state in
            state.inside += 1
            defer { state.dwell = nil }
            return (state.connection, state.inside > 1, state.dwell)
        }
        trace.change { trace in
            trace.add(batch, to: connection)
            if isOverlap { trace.overlaps += 1 }
        }
        if let dwell { state.wait(until: Date() + dwell) { $0.inside > 1 } }
        state.change { $0.inside -= 1 }
    }

    func connectionLost(_ failure: StoreFailure) {
        let connection = connection
        trace.change { $0.connections[connection].loss = failure }
    }
}

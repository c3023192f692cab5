import Synchronization

/// Whether a listener to a history wants to hear of changes.
///
/// Turned on before its owner reads what it is to be told the changes of: a store that asks with its own lock held then misses
/// none.
package final class HistoryAttention: Sendable {
    private let state = Atomic<Bool>(true)

    package init() {}

    package var isOn: Bool {
        get { state.load(ordering: .acquiring) }
        set { state.store(newValue, ordering: .releasing) }
    }
}

/// A listener that need not hear of every change.
package protocol AttentiveHistoryListener: HistoryListener {
    var attention: HistoryAttention { get }
}

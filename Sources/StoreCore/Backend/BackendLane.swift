/// The thread on which a queue calls its store.
public enum BackendLane: Hashable, Codable, Sendable {
    /// The thread on which the app called: for stores that live in the process and never block.
    case caller
    /// A serial queue of the payment queue's own: for stores that may block.
    case background
}

import StoreCore

/// A listener of a connection that runs a function when it is rung.
final class NewsCallback: NewsListener, @unchecked Sendable {  // unchecked: a run uses one thread
    var onRing: () -> Void = {}

    func newsArrived() { onRing() }
}

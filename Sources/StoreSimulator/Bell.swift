import StoreCore

/// A listener of a connection that runs a function when it is rung.
final class Bell: NewsListener, @unchecked Sendable {  // unchecked: a life is lived on one thread
    var onRing: () -> Void = {}

    func newsArrived() { onRing() }
}

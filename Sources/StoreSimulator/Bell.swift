import StoreCore

/// The end of a connection that does what it was told when it is rung.
final class Bell: NewsListener, @unchecked Sendable {  // unchecked: a life is lived on one thread
    var onRing: () -> Void = {}

    func newsArrived() { onRing() }
}

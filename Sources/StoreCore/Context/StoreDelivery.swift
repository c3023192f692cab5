import Foundation

/// Where a queue calls its observers, and requests their delegates.
public enum StoreDelivery: Sendable {
    /// On the main queue, as Store Kit does. No callback runs inside the call that led to it.
    case main
    /// On a serial queue of the caller's.
    case queue(DispatchQueue)
    /// On the thread that led to it, before its outermost call returns. What happens inside a callback, or while another
    /// thread is making callbacks, is delivered afterwards, in order.
    case inline
}

extension StoreDelivery {
    /// Runs a drain there; for inline delivery, when the outermost call on this thread ends.
    func schedule(_ drain: any InlineDrain & Sendable) {
        guard let queue else { return CallScope.drain(drain) }
        queue.async { drain.drainInline() }
    }

    /// Whether callbacks that have been scheduled could be made on the calling thread.
    var isHere: Bool {
        switch self {
        // Once the main thread waits for good, as in a program with an asynchronous `main`, others run the main queue.
        case .main: Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueKey) == true
        case .queue(let queue): DispatchQueue.getSpecific(key: queueKey) == ObjectIdentifier(queue)
        case .inline: false
        }
    }

    /// Marks the queue for `isHere` to tell it by.
    func prepare() {
        switch self {
        case .main: DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
        case .queue(let queue): queue.setSpecific(key: queueKey, value: ObjectIdentifier(queue))
        case .inline: break
        }
    }

    private var queue: DispatchQueue? {
        switch self {
        case .main: .main
        case .queue(let queue): queue
        case .inline: nil
        }
    }
}

private let queueKey = DispatchSpecificKey<ObjectIdentifier>()
private let mainQueueKey = DispatchSpecificKey<Bool>()

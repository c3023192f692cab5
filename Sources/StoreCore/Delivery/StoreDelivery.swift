import Foundation

/// Where a queue calls its observers, and requests their delegates.
public enum StoreDelivery: Sendable {
    /// On the main queue, as Store Kit does. No callback runs inside the call that led to it, and what a callback leads to
    /// comes in a later turn of the queue.
    case main
    /// On a queue of the caller's: a serial one in the same way as the main queue, or a concurrent one, which has no turns.
    case queue(DispatchQueue)
    /// On the thread that led to it, before its outermost call returns. What happens inside a callback, or while another
    /// thread is making callbacks, is delivered afterwards, in order.
    case inline
}

extension StoreDelivery {
    /// Runs a drain there; for inline delivery, when the outermost call on this thread ends.
    ///
    /// The log hears of a main queue that nobody drains.
    func schedule(_ drain: any InlineDrain & Sendable, _ log: StoreLog) {
        switch self {
        case .inline: CallScope.drain(drain)
        case .queue(let queue): queue.async { drain.drainInline() }
        case .main:
            MainQueueWatch.shared.scheduled(log)
            DispatchQueue.main.async {
                MainQueueWatch.shared.begun()
                drain.drainInline()
            }
        }
    }

    /// Whether what a callback leads to has to wait for a later turn of the queue.
    ///
    /// Work that the callback puts on the same queue comes first, as it does with Store Kit.
    var hasTurns: Bool {
        if case .inline = self { false } else { true }
    }

    /// Says that callbacks are made there otherwise than by what was scheduled.
    func begins() {
        if case .main = self { MainQueueWatch.shared.begun() }
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
}

private let queueKey = DispatchSpecificKey<ObjectIdentifier>()
private let mainQueueKey = DispatchSpecificKey<Bool>()

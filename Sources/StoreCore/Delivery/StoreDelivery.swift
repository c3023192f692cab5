import Foundation

/// The place where a queue calls its observers, and requests call their delegates.
public enum StoreDelivery: Sendable {
    /// The main queue, as in Store Kit.
    ///
    /// No callback runs inside the call that caused it. Callbacks caused by a callback run in a later turn of the
    /// queue.
    case main
    /// A queue of the caller's: a serial one, used like the main queue, or a concurrent one, which has no turns.
    case queue(DispatchQueue)
    /// The thread that caused the callback, before its outermost call returns.
    ///
    /// Events inside a callback, or while another thread runs callbacks, are delivered afterwards, in order.
    case inline
    /// A scheduler of the caller's, such as one that runs callbacks as jobs of an actor.
    ///
    /// It is called with each turn of callbacks, on any thread, and should run it once, later and outside this call,
    /// after all earlier turns. Settling waits for a turn that is never run.
    case scheduler(@Sendable (_ turn: @escaping @Sendable () -> Void) -> Void)
}

extension StoreDelivery {
    /// Schedules a drain there; for inline delivery, at the end of the outermost call on this thread.
    ///
    /// A main queue that is not drained is reported to the log.
    func schedule(_ drain: any InlineDrain & Sendable, _ log: StoreLog) {
        switch self {
        case .inline: CallScope.drain(drain)
        case .queue(let queue): queue.async { drain.drainInline() }
        case .scheduler(let schedule): schedule { drain.drainInline() }
        case .main:
            MainQueueWatch.shared.scheduled(log)
            DispatchQueue.main.async {
                MainQueueWatch.shared.begun()
                drain.drainInline()
            }
        }
    }

    /// Whether callbacks that a callback causes wait for a later turn of the queue.
    ///
    /// Work that the callback enqueues on the same queue comes first, as with Store Kit.
    var hasTurns: Bool {
        if case .inline = self { false } else { true }
    }

    /// Records that callbacks run there outside a scheduled drain.
    func begins() {
        if case .main = self { MainQueueWatch.shared.begun() }
    }

    /// Whether scheduled callbacks may run on the calling thread.
    var isHere: Bool {
        switch self {
        // Once the main thread is parked, as in a program with an asynchronous `main`, other threads run the main
        // queue.
        case .main: Thread.isMainThread || DispatchQueue.getSpecific(key: mainQueueKey) == true
        case .queue(let queue): DispatchQueue.getSpecific(key: queueKey) == ObjectIdentifier(queue)
        case .inline, .scheduler: false
        }
    }

    /// Marks the queue, so that `isHere` recognizes it.
    func prepare() {
        switch self {
        case .main: DispatchQueue.main.setSpecific(key: mainQueueKey, value: true)
        case .queue(let queue): queue.setSpecific(key: queueKey, value: ObjectIdentifier(queue))
        case .inline, .scheduler: break
        }
    }
}

private let queueKey = DispatchSpecificKey<ObjectIdentifier>()
private let mainQueueKey = DispatchSpecificKey<Bool>()

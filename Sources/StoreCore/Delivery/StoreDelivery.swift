import Foundation

/// The place where a queue calls its observers, and requests call their delegates.
public enum StoreDelivery: Sendable {
    /// The main queue, as in Store Kit.
    ///
    /// No callback runs inside the call that caused it. Callbacks caused by a callback run in a later turn of the
    /// queue.
    case main
    /// A queue of the caller's. A serial one works like the main queue; a concurrent one may run other work in between.
    case queue(DispatchQueue)
    /// The thread that caused the callback, before its outermost call to Store Kit returns.
    ///
    /// Callbacks caused inside a callback, or while another thread runs callbacks, run afterwards, in order. For tests:
    /// those of a store that replies on threads of its own run on these threads.
    case inline
    /// A scheduler of the caller's, such as one that runs callbacks as jobs of an actor.
    ///
    /// The scheduler is called, on any thread, with each turn of callbacks. It should run each turn once and in order,
    /// after the call has returned. The store does not settle before every turn has run.
    case scheduler(@Sendable (_ turn: @escaping @Sendable () -> Void) -> Void)
}

extension StoreDelivery {
    /// Schedules a drain of callbacks; for inline delivery, at the end of the outermost call on this thread.
    ///
    /// A warning is logged if the main queue is not drained.
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

    /// Whether callbacks caused by a callback wait for a later turn of the queue.
    ///
    /// Work that the callback enqueues on the same queue runs before them, as with Store Kit.
    var hasTurns: Bool { if case .inline = self { false } else { true } }

    /// Records, for the main queue's watchdog, that callbacks run outside a scheduled drain.
    func begins() { if case .main = self { MainQueueWatch.shared.begun() } }

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

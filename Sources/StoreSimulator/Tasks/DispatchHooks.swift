#if canImport(Glibc)
    import CDispatchHooks
    import Dispatch
    import Foundation
    import StoreCore

    /// The times of dispatch that are no numbers of nanoseconds.
    enum DispatchTimes {
        static let now: UInt64 = 0
        static let wallNow: UInt64 = ~1
        static let never: UInt64 = ~0
    }

    /// The hooks through which a ``TaskScheduler`` answers its thread's calls of libdispatch and of run loops.
    enum DispatchHooks {
        private static var scheduler: TaskScheduler {
            guard let scheduler = TaskScheduler.current else {
                preconditionFailure("a thread without a scheduler calls no hook")
            }
            return scheduler
        }

        /// Sets the hooks.
        static func set() {
            var hooks = store_dispatch_hooks(
                async: { queue, group, owned in
                    if let group { store_next_group_enter(group) }
                    DispatchHooks.scheduler.queues.submit(
                        ScheduledBlock(owned: owned),
                        to: ScheduledObject(queue),
                        leaving: group.map { ScheduledObject($0) }
                    )
                },
                after: { when, queue, owned in
                    let (block, queue) = (ScheduledBlock(owned: owned), ScheduledObject(queue))
                    let scheduler = DispatchHooks.scheduler
                    guard let delay = DispatchHooks.delay(until: when) else { return }
                    if delay <= 0 { return scheduler.queues.submit(block, to: queue) }
                    scheduler.sleep(until: scheduler.now + delay) { [weak scheduler] in
                        scheduler?.queues.submit(block, to: queue)
                    }
                },
                sync: { queue, block in DispatchHooks.scheduler.queues.sync(queue, DispatchHooks.scheduler, block) },
                group_notify: { group, queue, owned in
                    DispatchHooks.scheduler.queues.notify(group, ScheduledObject(queue), ScheduledBlock(owned: owned))
                },
                group_left: { DispatchHooks.scheduler.queues.left($0) },
                group_wait: { group, timeout in
                    DispatchHooks.wait("DispatchGroup.wait()", timeout) { store_next_group_wait(group, $0) }
                },
                semaphore_wait: { semaphore, timeout in
                    DispatchHooks.wait("DispatchSemaphore.wait()", timeout) { store_next_semaphore_wait(semaphore, $0) }
                },
                block_notify: { block, queue, owned in
                    DispatchHooks.scheduler.queues.notify(
                        afterBlock: block,
                        ScheduledObject(queue),
                        ScheduledBlock(owned: owned)
                    )
                },
                block_wait: { block, timeout in
                    let scheduler = DispatchHooks.scheduler
                    // A block may be waited for only once, and a failed wait does not count.
                    return DispatchHooks.wait("DispatchWorkItem.wait()", timeout) {
                        scheduler.queues.isPending(block) && $0 == 0 ? 1 : store_next_block_wait(block, $0)
                    }
                },
                block_created: { DispatchHooks.scheduler.queues.forget($0) },
                assert_queue: { queue, isNot in
                    let scheduler = DispatchHooks.scheduler
                    guard isNot else { return scheduler.queues.mayBeRunning(on: queue, scheduler) }
                    if scheduler.queues.isRunning(on: queue, scheduler) {
                        let label = DispatchQueueLabel.label(of: queue)
                        fatalError("code that must not run on the queue \(label) runs on it")
                    }
                    return true
                },
                current_queue: { DispatchHooks.scheduler.queues.current },
                now: { DispatchHooks.now(isWall: $0) },
                delay: { Int64((DispatchHooks.delay(until: $0) ?? 0) * 1e9) },
                source_created: { source, queue in DispatchHooks.scheduler.timers.add(source, ScheduledObject(queue)) },
                source_set_timer: { source, start, interval in
                    let scheduler = DispatchHooks.scheduler
                    guard scheduler.timers.contains(source) else { return false }
                    scheduler.timers.set(
                        source,
                        due: DispatchHooks.delay(until: start).map { scheduler.now + max($0, 0) },
                        interval: interval >= UInt64(Int64.max) ? nil : max(Double(interval) / 1e9, 1e-6),
                        scheduler
                    )
                    return true
                },
                source_set_handler: { source, owned, isCancel in
                    guard DispatchHooks.scheduler.timers.contains(source) else { return false }
                    DispatchHooks.scheduler.timers.set(
                        owned.map { ScheduledBlock(owned: $0) },
                        of: source,
                        isCancellation: isCancel
                    )
                    return true
                },
                source_resumed: { source, isResumed in
                    DispatchHooks.scheduler.timers.resume(source, isResumed: isResumed, DispatchHooks.scheduler)
                },
                source_canceled: { DispatchHooks.scheduler.timers.end($0, isCanceled: true, DispatchHooks.scheduler) },
                source_released: { DispatchHooks.scheduler.timers.end($0, isCanceled: false, DispatchHooks.scheduler) },
                thread_begun: { DispatchHooks.scheduler.noteThread() },
                has_work: { DispatchHooks.scheduler.hasBackgroundWork },
                perform_work: { DispatchHooks.scheduler.drainInBackground() },
                condition_blocks: { begins in
                    DispatchHooks.scheduler.blockingCall.withLock { $0 = begins ? "NSCondition.wait()" : nil }
                },
                is_main_thread: { DispatchHooks.scheduler.queues.isOnMain(DispatchHooks.scheduler) },
                timer_added: { DispatchHooks.scheduler.timers.add(toLoop: $0, DispatchHooks.scheduler) },
                timer_changed: { DispatchHooks.scheduler.timers.change(loopTimer: $0, DispatchHooks.scheduler) }
            )
            store_set_dispatch_hooks(&hooks)
        }

        // MARK: Waiting

        /// Waits for work of other queues and tasks, which runs on the calling thread, and then for other threads that the
        /// code has begun.
        ///
        /// - Parameters:
        ///   - call: the name of the call, for a life that stands still.
        ///   - timeout: a time of dispatch.
        ///   - attempt: waits until a time; returns 0 for success.
        /// - Returns: 0 for success, also for a wait that can have no other end.
        private static func wait(_ call: String, _ timeout: UInt64, _ attempt: (UInt64) -> Int) -> Int {
            let scheduler = scheduler
            if timeout == DispatchTimes.now { return attempt(timeout) }
            let end = delay(until: timeout).map { scheduler.now + max($0, 0) }
            switch scheduler.wait(until: end, { attempt(DispatchTimes.now) == 0 }) {
            case .isMet: return 0
            case .isLate: return 1
            case .isEndless:
                guard scheduler.hasThreads else {
                    // Another life may hold a semaphore of the process, which it does for a moment.
                    if TaskScheduler.hasOthers, attempt(store_real_time(5_000_000_000)) == 0 { return 0 }
                    scheduler.fail("the app waits in \(call) for something that never comes")
                    return 0
                }
            case .isOfEnded:
                if TaskScheduler.hasOthers { _ = attempt(store_real_time(20_000_000)) }
                return 0
            case .isOver: break
            }
            scheduler.blockingCall.withLock { $0 = call }
            defer { scheduler.blockingCall.withLock { $0 = nil } }
            return attempt(timeout)
        }

        // MARK: Time

        /// The time by the scheduler's clock in nanoseconds, since 1970 or, for the time since the start of a system, 2001.
        private static func now(isWall: Bool) -> Int64 {
            let date = scheduler.now
            return max(Int64((isWall ? date.timeIntervalSince1970 : date.timeIntervalSinceReferenceDate) * 1e9), 1)
        }

        /// Returns the seconds until a time of dispatch, to the microsecond; nil if it never comes.
        private static func delay(until when: UInt64) -> TimeInterval? {
            switch when {
            case DispatchTimes.never: return nil
            case DispatchTimes.now, DispatchTimes.wallNow: return 0
            default: break
            }
            // Times of the calendar are negative.
            let isWall = Int64(bitPattern: when) < 0
            let nanoseconds = isWall ? -Int64(bitPattern: when) - now(isWall: true) : Int64(when) - now(isWall: false)
            return (Double(nanoseconds) / 1e3).rounded() / 1e6
        }
    }
#endif

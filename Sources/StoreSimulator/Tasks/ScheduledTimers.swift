#if canImport(Glibc)
    import CDispatchHooks
    import Foundation
    import StoreCore

    /// The timers that the code of a scheduler's thread has created: dispatch sources, and timers of a run loop.
    ///
    /// They fire by the scheduler's clock, in blocks of their queue. Timers of run loops fire on the main queue.
    final class ScheduledTimers: Sendable {
        /// A dispatch source that is a timer.
        private struct Source {
            let queue: ScheduledObject
            var event: ScheduledBlock?
            var cancellation: ScheduledBlock?
            /// The number of resumptions that are missing; a source is created suspended.
            var suspensions = 1
            /// The time at which the timer fires next; nil if it does not.
            var due: Date?
            /// The seconds between two times; nil if it fires once.
            var interval: TimeInterval?
            /// The number of the sleeper that fires the timer.
            var sleeper: Int?
        }

        private let sources = Locked<[UInt: Source]>([:])
        /// The timers of run loops that have not fired for the last time, with the numbers of their sleepers, by address.
        private let loopTimers = Locked<[UInt: (timer: LoopTimer, sleeper: Int)]>([:])

        // MARK: Dispatch sources

        func add(_ source: UnsafeMutableRawPointer, _ queue: ScheduledObject) {
            let added = Source(queue: queue)
            let address = UInt(bitPattern: source)
            let older = sources.withLock { $0.updateValue(added, forKey: address) }
            if let sleeper = older?.sleeper { TaskScheduler.current?.forget(sleeper) }
            withExtendedLifetime(older) {}
        }

        /// Whether a source is one of these timers.
        func contains(_ source: UnsafeMutableRawPointer) -> Bool {
            let address = UInt(bitPattern: source)
            return sources.withLock { !$0.isEmpty && $0[address] != nil }
        }

        /// Sets the time at which a source fires, and the seconds between two times.
        func set(_ source: UnsafeMutableRawPointer, due: Date?, interval: TimeInterval?, _ scheduler: TaskScheduler) {
            change(UInt(bitPattern: source), scheduler) { ($0.due, $0.interval) = (due, interval) }
        }

        /// Sets the block that a source runs when it fires, or when it is canceled.
        func set(_ block: ScheduledBlock?, of source: UnsafeMutableRawPointer, isCancellation: Bool) {
            let address = UInt(bitPattern: source)
            let older = sources.withLock { sources in
                defer {
                    if isCancellation {
                        sources[address]?.cancellation = block
                    } else {
                        sources[address]?.event = block
                    }
                }
                return isCancellation ? sources[address]?.cancellation : sources[address]?.event
            }
            withExtendedLifetime(older) {}
        }

        func resume(_ source: UnsafeMutableRawPointer, isResumed: Bool, _ scheduler: TaskScheduler) {
            guard contains(source) else { return }
            change(UInt(bitPattern: source), scheduler) {
                $0.suspensions = max($0.suspensions + (isResumed ? -1 : 1), 0)
            }
        }

        /// Ends a source, which no longer fires.
        func end(_ source: UnsafeMutableRawPointer, isCanceled: Bool, _ scheduler: TaskScheduler) {
            guard contains(source) else { return }
            let address = UInt(bitPattern: source)
            guard let ended = sources.withLock({ $0.removeValue(forKey: address) }) else { return }
            if let sleeper = ended.sleeper { scheduler.forget(sleeper) }
            if isCanceled, let block = ended.cancellation { scheduler.queues.submit(block, to: ended.queue) }
        }

        /// Changes a source, and lets it sleep until it is due.
        private func change(_ source: UInt, _ scheduler: TaskScheduler, _ body: (inout Source) -> Void) {
            let (sleeper, due) = sources.withLock { sources -> (Int?, Date?) in
                guard sources[source] != nil else { return (nil, nil) }
                let sleeper = sources[source]?.sleeper
                sources[source]?.sleeper = nil
                if var changed = sources.removeValue(forKey: source) {
                    body(&changed)
                    sources[source] = changed
                }
                return (sleeper, sources[source]?.suspensions == 0 ? sources[source]?.due : nil)
            }
            if let sleeper { scheduler.forget(sleeper) }
            guard let due else { return }
            let next = scheduler.sleep(until: due) { [weak self, weak scheduler] in
                if let scheduler { self?.fire(source, scheduler) }
            }
            sources.withLock { $0[source]?.sleeper = next }
        }

        private func fire(_ source: UInt, _ scheduler: TaskScheduler) {
            let (event, queue) = sources.withLock { ($0[source]?.event, $0[source]?.queue) }
            if let event, let queue { scheduler.queues.submit(event, to: queue) }
            change(source, scheduler) { source in
                // A clock that has moved over several times fires once for each.
                source.due = source.interval.flatMap { interval in source.due.map { $0 + interval } }
            }
        }

        // MARK: Run loops

        /// A timer of a run loop, which is released with this object.
        private final class LoopTimer: @unchecked Sendable {  // unchecked: the scheduler's thread alone uses it
            let pointer: UnsafeMutableRawPointer
            /// The seconds between two times; 0 if it fires once.
            let interval: TimeInterval

            init(_ timer: UnsafeMutableRawPointer) {
                pointer = timer
                interval = store_timer_interval(timer)
                store_timer_retain(timer)
            }

            deinit { store_timer_release(pointer) }

            func fire() {
                guard store_timer_is_valid(pointer), let owner = store_timer_owner(pointer) else { return }
                Unmanaged<Timer>.fromOpaque(owner).takeUnretainedValue().fire()
            }
        }

        /// Adds a timer to the main queue, which stands for every run loop and each of its modes.
        func add(toLoop timer: UnsafeMutableRawPointer, _ scheduler: TaskScheduler) {
            let address = UInt(bitPattern: timer)
            if loopTimers.withLock({ $0[address] != nil }) { return }
            sleep(LoopTimer(timer), until: Self.due(timer, scheduler), scheduler)
        }

        /// Follows a change of the time at which a timer fires.
        func change(loopTimer timer: UnsafeMutableRawPointer, _ scheduler: TaskScheduler) {
            let address = UInt(bitPattern: timer)
            guard let (changed, sleeper) = loopTimers.withLock({ $0.removeValue(forKey: address) }) else { return }
            scheduler.forget(sleeper)
            sleep(changed, until: Self.due(timer, scheduler), scheduler)
        }

        private static func due(_ timer: UnsafeMutableRawPointer, _ scheduler: TaskScheduler) -> Date {
            // In hundredths, since the exact remaining time differs in each run.
            scheduler.now + (max(store_timer_delay(timer), 0) * 100).rounded(.up) / 100
        }

        private func sleep(_ timer: LoopTimer, until due: Date, _ scheduler: TaskScheduler) {
            let address = UInt(bitPattern: timer.pointer)
            let sleeper = scheduler.sleep(until: due) { [weak self, weak scheduler] in
                guard let self else { return }
                let fired = loopTimers.withLock { $0.removeValue(forKey: address) }?.timer
                guard let fired, store_timer_is_valid(fired.pointer) else { return }
                Task { @MainActor in fired.fire() }
                if let scheduler, fired.interval > 0 { sleep(fired, until: due + fired.interval, scheduler) }
            }
            loopTimers.withLock { $0[address] = (timer, sleeper) }
        }
    }
#endif

#if os(Linux)
    import CDispatchHooks
    import Dispatch
    import StoreCore

    /// The blocks that the code of a scheduler's thread has submitted to dispatch queues.
    ///
    /// Each block is a job of the thread's ``TaskScheduler``, in one order with its tasks. Blocks of the main queue are jobs
    /// of the main actor. Where the code waits for a block, as by `DispatchQueue.sync` or a semaphore, that block runs
    /// before the call returns.
    final class ScheduledQueues: Sendable {
        /// The address of a dispatch object or a block.
        typealias Address = UInt

        /// A submitted block.
        private struct Item {
            let block: ScheduledBlock
            let queue: ScheduledObject
            /// The group that the block leaves when it has run.
            let group: ScheduledObject?
        }

        /// A block to be submitted once a group is empty, or another block has run.
        private struct Notification {
            let cause: Address
            let block: ScheduledBlock
            let queue: ScheduledObject
        }

        private struct State {
            /// The blocks that have not begun, by queue, in the order of their submission.
            var pending: [Address: [Item]] = [:]
            /// The queues whose blocks are running, innermost last.
            var running: [UnsafeSendable] = []
            /// The number of jobs that came while a block of their queue was running, by queue.
            var postponed: [Address: Int] = [:]
            var notifications: [Notification] = []
        }

        /// A pointer to a queue that is retained elsewhere.
        private struct UnsafeSendable: @unchecked Sendable { let pointer: UnsafeMutableRawPointer }

        private let state = Locked(State())

        // MARK: Submitting

        /// Submits a block to a queue.
        func submit(_ block: ScheduledBlock, to queue: ScheduledObject, leaving group: ScheduledObject? = nil) {
            // The code of a process that was ended because it never rests would submit blocks forever.
            if TaskScheduler.current?.isExhausted == true { return }
            let address = queue.address
            state.withLock { $0.pending[address, default: []].append(Item(block: block, queue: queue, group: group)) }
            enqueueJob(of: address)
        }

        private func enqueueJob(of queue: Address) {
            if queue == Self.main {
                Task { @MainActor in performNext(of: queue) }
            } else {
                Task(executorPreference: TaskScheduler.current?.blocks) { [self] in performNext(of: queue) }
            }
        }

        // MARK: Performing

        /// Performs the next block of a queue, unless one of its blocks is running.
        private func performNext(of queue: Address) {
            let item = state.withLock { state -> Item? in
                if state.running.contains(where: { UInt(bitPattern: $0.pointer) == queue }) {
                    state.postponed[queue, default: 0] += 1
                    return nil
                }
                return Self.next(of: queue, &state)
            }
            if let item { perform(item) }
        }

        private static func next(of queue: Address, _ state: inout State) -> Item? {
            guard var items = state.pending.removeValue(forKey: queue) else { return nil }
            let item = items.removeFirst()
            if !items.isEmpty { state.pending[queue] = items }
            return item
        }

        private func perform(_ item: Item) {
            run(on: item.queue.pointer) { item.block.call() }
            submitNotifications { $0.cause == item.block.address }
            guard let group = item.group else { return }
            store_next_group_leave(group.pointer)
            left(group.pointer)
        }

        /// Calls a body as a block of a queue.
        private func run(on queue: UnsafeMutableRawPointer, _ body: () -> Void) {
            state.withLock { $0.running.append(UnsafeSendable(pointer: queue)) }
            body()
            let postponed = state.withLock { state in
                state.running.removeLast()
                return state.postponed.removeValue(forKey: UInt(bitPattern: queue)) ?? 0
            }
            for _ in 0..<postponed { enqueueJob(of: UInt(bitPattern: queue)) }
        }

        /// Calls a block on a queue before it returns, after the blocks that were submitted to the queue before.
        ///
        /// - Returns: false for a global queue, which has no order.
        func sync(_ queue: UnsafeMutableRawPointer, _ scheduler: TaskScheduler, _ block: UnsafeMutableRawPointer)
            -> Bool
        {
            let address = UInt(bitPattern: queue)
            let isMain = address == Self.main
            if Self.isGlobal(queue) { return false }
            let isInside = state.withLock { $0.running.contains { UInt(bitPattern: $0.pointer) == address } }
            if isInside, store_queue_is_serial(queue) {
                let label = DispatchQueueLabel.label(of: queue)
                scheduler.fail("the app calls sync on the queue \(label) in a block of this queue, which never returns")
            }
            // The main actor's code runs on the main queue already: `Thread.isMainThread` cannot tell it.
            if !isInside && !(isMain && scheduler.isOnMainActor) {
                while let item = state.withLock({ Self.next(of: address, &$0) }) { perform(item) }
            }
            run(on: queue) {
                if isMain || isInside { store_block_call(block) } else { store_next_sync(queue, block) }
            }
            return true
        }

        // MARK: Waiting

        /// Performs work of other queues and tasks until a condition holds; returns whether it does.
        func perform(_ scheduler: TaskScheduler, until isMet: () -> Bool) -> Bool {
            while !isMet() {
                if !scheduler.drainInBackground() { return false }
            }
            return true
        }

        /// Whether a block waits for its turn.
        func isPending(_ block: UnsafeMutableRawPointer) -> Bool {
            let address = UInt(bitPattern: block)
            return state.withLock { state in
                state.pending.values.contains { items in items.contains { $0.block.address == address } }
            }
        }

        /// Submits a block once a group is empty.
        func notify(_ group: UnsafeMutableRawPointer, _ queue: ScheduledObject, _ block: ScheduledBlock) {
            note(Notification(cause: UInt(bitPattern: group), block: block, queue: queue))
            left(group)
        }

        /// Submits a block once another block has run.
        func notify(afterBlock cause: UnsafeMutableRawPointer, _ queue: ScheduledObject, _ block: ScheduledBlock) {
            // A block that has run answers a wait at once.
            if !isPending(cause), store_next_block_wait(cause, DispatchTimes.now) == 0 {
                return submit(block, to: queue)
            }
            note(Notification(cause: UInt(bitPattern: cause), block: block, queue: queue))
        }

        private func note(_ notification: Notification) { state.withLock { $0.notifications.append(notification) } }

        /// Submits the blocks that wait for a group, if it is empty.
        func left(_ group: UnsafeMutableRawPointer) {
            let address = UInt(bitPattern: group)
            guard state.withLock({ $0.notifications.contains { $0.cause == address } }),
                store_next_group_wait(group, DispatchTimes.now) == 0
            else { return }
            submitNotifications { $0.cause == address }
        }

        private func submitNotifications(where isDue: (Notification) -> Bool) {
            let due = state.withLock { state -> [Notification] in
                if state.notifications.isEmpty { return [] }
                let due = state.notifications.filter(isDue)
                state.notifications.removeAll(where: isDue)
                return due
            }
            for notification in due { submit(notification.block, to: notification.queue) }
        }

        // MARK: Where code runs

        /// The queue whose block is running; the main queue if there is none.
        var current: UnsafeMutableRawPointer { state.withLock { $0.running.last?.pointer } ?? store_main_queue() }

        /// Whether a block of the main queue is running.
        var isOnMainQueue: Bool {
            state.withLock { ($0.running.last?.pointer).map { UInt(bitPattern: $0) } == Self.main }
        }

        /// Whether the calling code may assume that it runs on a queue.
        ///
        /// Tasks may assume that they run on the main queue.
        func isRunning(on queue: UnsafeMutableRawPointer) -> Bool {
            state.withLock { state in
                if state.running.isEmpty { return queue == store_main_queue() }
                return state.running.contains { $0.pointer == queue }
            }
        }

        /// Whether the calling code runs in a block of a queue.
        func isInside(_ queue: UnsafeMutableRawPointer) -> Bool {
            state.withLock { $0.running.contains { $0.pointer == queue } }
        }

        private static var main: Address { UInt(bitPattern: store_main_queue()) }

        private static func isGlobal(_ queue: UnsafeMutableRawPointer) -> Bool {
            DispatchQueueLabel.label(of: queue).hasPrefix("com.apple.root.")
        }
    }

    /// The label of a dispatch queue.
    private enum DispatchQueueLabel {
        static func label(of queue: UnsafeMutableRawPointer) -> String {
            store_queue_label(queue).map { String(cString: $0) } ?? ""
        }
    }

    /// A block, which is released with this object.
    final class ScheduledBlock: @unchecked Sendable {  // unchecked: a block is immutable
        let pointer: UnsafeMutableRawPointer
        var address: UInt { UInt(bitPattern: pointer) }

        init(owned: UnsafeMutableRawPointer) { pointer = owned }
        deinit { store_block_release(pointer) }

        func call() { store_block_call(pointer) }
    }

    /// A dispatch object, which is retained as long as this object.
    final class ScheduledObject: @unchecked Sendable {  // unchecked: dispatch objects are used by any thread
        let pointer: UnsafeMutableRawPointer
        var address: UInt { UInt(bitPattern: pointer) }

        init(_ object: UnsafeMutableRawPointer) {
            pointer = object
            store_object_retain(object)
        }

        deinit { store_object_release(pointer) }
    }
#endif

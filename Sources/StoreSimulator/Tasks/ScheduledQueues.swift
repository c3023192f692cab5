#if canImport(Glibc)
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
            /// The address of the group or block.
            let cause: Address
            /// The group or block, which is retained until then: another one may get a released one's address.
            let retained: any Sendable
            let block: ScheduledBlock
            let queue: ScheduledObject
        }

        /// A queue, the queue that it was given to run its blocks, and so on.
        private struct Chain: @unchecked Sendable {  // unchecked: the first queue, retained elsewhere, retains the rest
            let queues: [UnsafeMutableRawPointer]

            init(_ queue: UnsafeMutableRawPointer) {
                var (queues, next) = ([queue], store_queue_target(queue))
                while let queue = next {
                    queues.append(queue)
                    next = store_queue_target(queue)
                }
                self.queues = queues
            }

            var isMain: Bool { queues.contains(store_main_queue()) }
            /// Whether some queue of both runs one block after another.
            func excludes(_ other: Chain) -> Bool {
                queues.contains { store_queue_is_serial($0) && other.queues.contains($0) }
            }
        }

        /// A block that is running.
        private struct Frame {
            /// The block's queue; nil for a job that a process would run on another thread than what runs around it.
            let chain: Chain?
            /// Whether the code around the block has called it.
            let isSynchronous: Bool
        }

        private struct State {
            /// The blocks that have not begun, by queue, in the order of their submission.
            var pending: [Address: [Item]] = [:]
            /// The blocks that are running, innermost last.
            var running: [Frame] = []
            /// The queues of jobs that came while a block of a serial queue was running which they need.
            var postponed: [(queue: ScheduledObject, chain: Chain)] = []
            var notifications: [Notification] = []
            /// The blocks that have run and are still in use.
            var finished: Set<Address> = []

            func isBlocked(_ chain: Chain) -> Bool {
                running.contains { $0.chain.map { chain.excludes($0) } ?? false }
            }
        }

        private let state = Locked(State())

        // MARK: Submitting

        /// Submits a block to a queue.
        func submit(_ block: ScheduledBlock, to queue: ScheduledObject, leaving group: ScheduledObject? = nil) {
            // The code of a process that was ended because it never rests would submit blocks forever.
            if TaskScheduler.current?.isExhausted == true {
                if let group { store_next_group_leave(group.pointer) }
                return
            }
            state.withLock { state in
                state.finished.remove(block.address)
                state.pending[queue.address, default: []].append(Item(block: block, queue: queue, group: group))
            }
            enqueueJob(of: queue)
        }

        private func enqueueJob(of queue: ScheduledObject) {
            if Chain(queue.pointer).isMain {
                Task { @MainActor in performNext(of: queue) }
            } else {
                Task(executorPreference: TaskScheduler.current?.blocks) { [self] in performNext(of: queue) }
            }
        }

        // MARK: Performing

        /// Performs the next block of a queue, unless a block is running that excludes it.
        private func performNext(of queue: ScheduledObject) {
            let chain = Chain(queue.pointer)
            let item = state.withLock { state -> Item? in
                if state.isBlocked(chain) {
                    state.postponed.append((queue, chain))
                    return nil
                }
                return Self.next(of: queue.address, &state)
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
            run(on: Chain(item.queue.pointer), isSynchronous: false) { item.block.call() }
            finish(item.block.pointer)
            guard let group = item.group else { return }
            store_next_group_leave(group.pointer)
            left(group.pointer)
        }

        /// Notes that a block has run.
        private func finish(_ block: UnsafeMutableRawPointer) {
            let address = UInt(bitPattern: block)
            if store_block_is_shared(block) { state.withLock { _ = $0.finished.insert(address) } }
            submitNotifications(of: address)
        }

        /// Forgets a block at whose address there is a new one.
        func forget(_ block: UnsafeMutableRawPointer) {
            let address = UInt(bitPattern: block)
            state.withLock { _ = $0.finished.remove(address) }
        }

        /// Calls a body as a block of a queue.
        private func run(on chain: Chain, isSynchronous: Bool, _ body: () -> Void) {
            state.withLock { $0.running.append(Frame(chain: chain, isSynchronous: isSynchronous)) }
            body()
            let ready = state.withLock { state -> [ScheduledObject] in
                state.running.removeLast()
                if state.postponed.isEmpty { return [] }
                let ready = state.postponed.filter { !state.isBlocked($0.chain) }
                state.postponed = state.postponed.filter { state.isBlocked($0.chain) }
                return ready.map(\.queue)
            }
            for queue in ready { enqueueJob(of: queue) }
        }

        /// Calls a body that a process would run on another thread than the calling code.
        func onAnotherThread(_ body: () -> Void) {
            state.withLock { $0.running.append(Frame(chain: nil, isSynchronous: false)) }
            body()
            state.withLock { _ = $0.running.removeLast() }
        }

        /// Calls a block on a queue before it returns, after the blocks that were submitted to the queue before.
        ///
        /// - Returns: false for a global queue, which has no order.
        func sync(_ queue: UnsafeMutableRawPointer, _ scheduler: TaskScheduler, _ block: UnsafeMutableRawPointer)
            -> Bool
        {
            let address = UInt(bitPattern: queue)
            if Self.isGlobal(queue) { return false }
            let chain = Chain(queue)
            let isInside = isHeld(queue)
            if isInside, !chain.isMain, store_queue_is_serial(queue) {
                let label = DispatchQueueLabel.label(of: queue)
                scheduler.fail("the app calls sync on the queue \(label) in a block of this queue, which never returns")
            }
            // The main actor's code runs on the main queue already: `Thread.isMainThread` cannot tell it everywhere.
            if !isInside && !(chain.isMain && isOnMain(scheduler)) {
                while let item = state.withLock({ Self.next(of: address, &$0) }) { perform(item) }
            }
            let isInPlace =
                chain.isMain
                || state.withLock { state in
                    state.running.contains { frame in
                        frame.chain?.queues.contains { chain.queues.contains($0) } ?? false
                    }
                }
            run(on: chain, isSynchronous: true) {
                if isInPlace { store_block_call(block) } else { store_next_sync(queue, block) }
            }
            finish(block)
            return true
        }

        // MARK: Waiting

        /// Whether a block waits for its turn.
        func isPending(_ block: UnsafeMutableRawPointer) -> Bool {
            let address = UInt(bitPattern: block)
            return state.withLock { state in
                state.pending.values.contains { items in items.contains { $0.block.address == address } }
            }
        }

        /// Submits a block once a group is empty.
        func notify(_ group: UnsafeMutableRawPointer, _ queue: ScheduledObject, _ block: ScheduledBlock) {
            note(group, retained: ScheduledObject(group), queue, block)
            left(group)
        }

        /// Submits a block once another block has run.
        func notify(afterBlock cause: UnsafeMutableRawPointer, _ queue: ScheduledObject, _ block: ScheduledBlock) {
            let address = UInt(bitPattern: cause)
            if state.withLock({ $0.finished.contains(address) }) { return submit(block, to: queue) }
            note(cause, retained: ScheduledBlock(owned: store_block_copy(cause)), queue, block)
        }

        private func note(
            _ cause: UnsafeMutableRawPointer,
            retained: any Sendable,
            _ queue: ScheduledObject,
            _ block: ScheduledBlock
        ) {
            let notification = Notification(
                cause: UInt(bitPattern: cause),
                retained: retained,
                block: block,
                queue: queue
            )
            state.withLock { $0.notifications.append(notification) }
        }

        /// Submits the blocks that wait for a group, if it is empty.
        func left(_ group: UnsafeMutableRawPointer) {
            let address = UInt(bitPattern: group)
            guard state.withLock({ $0.notifications.contains { $0.cause == address } }),
                store_next_group_wait(group, DispatchTimes.now) == 0
            else { return }
            submitNotifications(of: address)
        }

        private func submitNotifications(of cause: Address) {
            let due = state.withLock { state -> [Notification] in
                if state.notifications.isEmpty { return [] }
                let due = state.notifications.filter { $0.cause == cause }
                state.notifications.removeAll { $0.cause == cause }
                return due
            }
            for notification in due { submit(notification.block, to: notification.queue) }
        }

        // MARK: Where code runs

        /// The queue whose block is running; the main queue if there is none.
        var current: UnsafeMutableRawPointer {
            state.withLock { $0.running.last?.chain?.queues.first } ?? store_main_queue()
        }

        /// Whether a block of the main queue is running, also around other code that a process would run elsewhere.
        var holdsMain: Bool { state.withLock { $0.running.contains { $0.chain?.isMain ?? false } } }

        /// The block that is running and those around it that have called it, innermost first; and whether they were called
        /// by the innermost job itself, outside of any block.
        private var context: (chains: [Chain], isOfJob: Bool) {
            state.withLock { state in
                var chains: [Chain] = []
                for frame in state.running.reversed() {
                    guard let chain = frame.chain else { break }
                    chains.append(chain)
                    if !frame.isSynchronous { return (chains, false) }
                }
                return (chains, true)
            }
        }

        /// Whether the calling code runs on the main thread of a process: in a block of the main queue, or on the main actor.
        func isOnMain(_ scheduler: TaskScheduler) -> Bool {
            let (chains, isOfJob) = context
            return chains.contains { $0.isMain } || (isOfJob && scheduler.place == .main)
        }

        /// Whether the calling code runs in a block of a queue.
        private func isHeld(_ queue: UnsafeMutableRawPointer) -> Bool {
            context.chains.contains { $0.queues.contains(queue) }
        }

        /// Whether the calling code runs on a queue.
        func isRunning(on queue: UnsafeMutableRawPointer, _ scheduler: TaskScheduler) -> Bool {
            isHeld(queue) || (queue == store_main_queue() && isOnMain(scheduler))
        }

        /// Whether the calling code may assume that it runs on a queue.
        ///
        /// The calls of the simulation, which stand for the user's, may assume that they run on the main queue.
        func mayBeRunning(on queue: UnsafeMutableRawPointer, _ scheduler: TaskScheduler) -> Bool {
            isRunning(on: queue, scheduler)
                || (queue == store_main_queue() && context.isOfJob && scheduler.place == .calls)
        }

        private static func isGlobal(_ queue: UnsafeMutableRawPointer) -> Bool {
            DispatchQueueLabel.label(of: queue).hasPrefix("com.apple.root.")
        }
    }

    /// The label of a dispatch queue.
    enum DispatchQueueLabel {
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

import Foundation
import Synchronization

/// The contexts of detached tasks: each has the context that was bound where the task was created.
///
/// A detached task does not inherit task-local values. But the runtime calls a hook with each job before it runs; for a
/// new task, it does so on the creating thread. The hook records the context there, by the task's unique number.
///
/// Nothing is recorded before a context is first bound, if the runtime lacks the hook, or for tasks that start
/// immediately, on an actor, or on an executor of the app's own. Such a task has the process's context.
package enum DetachedTasks {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias NumberOfJob = @convention(c) (UnsafeRawPointer) -> UInt64
    // The type of `dladdr`, declared here since Foundation has it on some platforms only.
    private typealias DLAddr = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Int32

    // Both are set once, before the hook that reads them is installed.
    nonisolated(unsafe) private static var olderHook: EnqueueHook?
    nonisolated(unsafe) private static var numberOfJob: NumberOfJob?

    /// The address of the code at which every new task, but no resumed one, starts; 0 while it is unknown.
    private static let beginning = Atomic<UInt>(0)
    /// The offset of that address in a job, after the header, queue links, flags, number, voucher and a reserved word.
    private static let beginningOffset = 7 * MemoryLayout<UInt>.size

    /// Whether a context has ever been bound.
    static var isInUse: Bool { uses.load(ordering: .acquiring) }
    private static let uses = Atomic<Bool>(false)

    private static let owners = Locked<[UInt64: TaskOwner]>([:])
    private static let ownerCount = Atomic<Int>(0)
    /// The maximum number of tasks that are recorded for a context.
    ///
    /// Later tasks are not recorded; those that listen for updates are usually created early.
    private static let limit = 100_000

    /// Installs the hook that records the contexts of new tasks.
    ///
    /// Other code that installs a hook should call this first, and forward calls to the hook that it replaces.
    package static func begin() { _ = isHooked }

    /// Installs the hook when a context is first bound.
    static func use() {
        if isInUse { return }
        // Another thread that binds a context waits here for the hook, so that its tasks are recorded.
        begin()
        uses.store(true, ordering: .releasing)
    }

    /// The recorded context of the running task.
    static var context: StoreContext? {
        guard ownerCount.load(ordering: .relaxed) > 0, let number = currentNumber else { return nil }
        return owners.withLock { $0[number] }?.context
    }

    private static var currentNumber: UInt64? {
        withUnsafeCurrentTask { task in
            task.flatMap { numberOfJob?(unsafeBitCast($0, to: UnsafeRawPointer.self)) }
        }
    }

    /// Removes the recorded tasks of a context that is released.
    fileprivate static func forget(_ numbers: [UInt64]) {
        let gone = owners.withLock { owners in numbers.map { owners.removeValue(forKey: $0) } }
        ownerCount.subtract(numbers.count, ordering: .relaxed)
        withExtendedLifetime(gone) {}
    }

    /// Records the current context for a job, if the job is a new task.
    private static func note(_ job: UnownedJob) {
        let job = unsafeBitCast(job, to: UnsafeRawPointer.self)
        let code = job.load(fromByteOffset: beginningOffset, as: UInt.self)
        let beginning = beginning.load(ordering: .relaxed)
        guard code == beginning else {
            if beginning == 0, let probe = pthread_getspecific(probe) { probe.storeBytes(of: code, as: UInt.self) }
            return
        }
        guard let owner = StoreContext.ofTask?.tasks, let number = numberOfJob?(job) else { return }
        guard owner.add(number, upTo: limit) else { return }
        owners.withLock { $0[number] = owner }
        ownerCount.add(1, ordering: .relaxed)
    }

    // MARK: The hook

    private static let probe: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    /// Whether the hook is installed and recognizes new tasks.
    ///
    /// The first access installs the hook.
    private static let isHooked: Bool = {
        guard MemoryLayout<UInt>.size == 8, let process = dlopen(nil, RTLD_NOW),
            let place = dlsym(process, "swift_task_enqueueGlobal_hook"),
            let number = dlsym(process, "swift_task_getJobTaskId"), let dladdr = dlsym(process, "dladdr")
        else { return false }
        let hook: EnqueueHook = { job, original in
            DetachedTasks.note(job)
            if let older = DetachedTasks.olderHook { older(job, original) } else { original(job) }
        }
        numberOfJob = unsafeBitCast(number, to: NumberOfJob.self)
        olderHook = place.load(as: EnqueueHook?.self)
        place.assumingMemoryBound(to: EnqueueHook?.self).pointee = hook
        // Both new tasks must start at the same code of the runtime; otherwise jobs are not laid out as assumed.
        let (first, second) = (codeOfNewTask(), codeOfNewTask())
        let dladdrFunction = unsafeBitCast(dladdr, to: DLAddr.self)
        guard first == second, let code = UnsafeRawPointer(bitPattern: first),
            image(of: code, by: dladdrFunction) == image(of: number, by: dladdrFunction)
        else { return false }
        beginning.store(first, ordering: .relaxed)
        return true
    }()

    private static func codeOfNewTask() -> UInt {
        var code: UInt = 0
        withUnsafeMutableBytes(of: &code) { bytes in
            pthread_setspecific(probe, bytes.baseAddress)
            Task.detached {}
            pthread_setspecific(probe, nil)
        }
        return code
    }

    /// Returns the load address of the library or program that contains a piece of code; 0 if none does.
    private static func image(of code: UnsafeRawPointer, by dladdr: DLAddr) -> UInt {
        // `Dl_info`: the name of the file and its address, the name of a symbol and its address.
        var info: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &info) { dladdr(code, $0.baseAddress) } == 0 ? 0 : info.1
    }
}

/// The detached tasks that were created with one context bound.
final class TaskOwner: Sendable {
    private struct State {
        weak var context: StoreContext?
        var numbers: [UInt64] = []
    }

    private let state = Locked(State())

    var context: StoreContext? { state.withLock { $0.context } }

    init(_ context: StoreContext) { state.withLock { $0.context = context } }

    /// Adds a task, and returns true, unless the limit is reached.
    fileprivate func add(_ number: UInt64, upTo limit: Int) -> Bool {
        state.withLock { state in
            if state.numbers.count >= limit { return false }
            state.numbers.append(number)
            return true
        }
    }

    /// Removes the tasks; called when the context is deallocated.
    func end() {
        let numbers = state.withLock { state in
            defer { state.numbers = [] }
            return state.numbers
        }
        if !numbers.isEmpty { DetachedTasks.forget(numbers) }
    }
}

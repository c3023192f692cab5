import Foundation
import Synchronization

/// The contexts of detached tasks: those that were bound where the tasks were made.
///
/// A task-local value does not reach a detached task. The runtime calls a hook with each job that is to run, and with that of
/// a new task on the thread that makes it. There the context is noted under the task's number, which no other task ever has.
///
/// Nothing is noted before a context is bound for the first time, of tasks that begin on an actor, on an executor of the app's
/// own or at once, and with a runtime that lacks the hook. Such a task has the process's context, as before.
package enum DetachedTasks {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias NumberOfJob = @convention(c) (UnsafeRawPointer) -> UInt64
    // Foundation has it on some platforms only.
    private typealias DLAddr = @convention(c) (UnsafeRawPointer, UnsafeMutableRawPointer?) -> Int32

    // Set once, before the hook is that reads them.
    nonisolated(unsafe) private static var olderHook: EnqueueHook?
    nonisolated(unsafe) private static var numberOfJob: NumberOfJob?

    /// The address of the code with which every new task begins, and no resumed one; 0 until it is known.
    private static let beginning = Atomic<UInt>(0)
    /// The place of that address in a job: its header, its queue's links, flags, number, voucher and a reserved word are
    /// before it.
    private static let beginningOffset = 7 * MemoryLayout<UInt>.size

    /// Whether a context was ever bound.
    static var isInUse: Bool { uses.load(ordering: .acquiring) }
    private static let uses = Atomic<Bool>(false)

    private static let owners = Locked<[UInt64: TaskOwner]>([:])
    private static let ownerCount = Atomic<Int>(0)
    /// The number of tasks that a context knows.
    ///
    /// Those that listen are among the first.
    private static let limit = 100_000

    /// Begins to note the contexts of new tasks.
    ///
    /// Code that sets the runtime's hook as well calls it first, and passes on to the hook that it finds.
    package static func begin() { _ = isHooked }

    /// The same, when a context is bound.
    static func use() {
        if isInUse { return }
        // Another thread that binds a context meanwhile waits for the hook: its tasks are noted too.
        begin()
        uses.store(true, ordering: .releasing)
    }

    /// The context of the running task, if it is not bound there.
    static var context: StoreContext? {
        guard ownerCount.load(ordering: .relaxed) > 0, let number = currentNumber else { return nil }
        return owners.withLock { $0[number] }?.context
    }

    private static var currentNumber: UInt64? {
        withUnsafeCurrentTask { task in
            task.flatMap { numberOfJob?(unsafeBitCast($0, to: UnsafeRawPointer.self)) }
        }
    }

    /// Forgets tasks, whose context is gone.
    fileprivate static func forget(_ numbers: [UInt64]) {
        let gone = owners.withLock { owners in numbers.map { owners.removeValue(forKey: $0) } }
        ownerCount.subtract(numbers.count, ordering: .relaxed)
        withExtendedLifetime(gone) {}
    }

    /// Notes the context of a job that is a new task.
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

    /// Sets the hook on first use; false where new tasks cannot be told from others.
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
        // Both begin alike, in code of the runtime's, or a job is not what it is taken for.
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

    /// Returns where the library or program is loaded that has some code; 0 if the code is in none.
    private static func image(of code: UnsafeRawPointer, by dladdr: DLAddr) -> UInt {
        // A file's name, its place, a symbol's name and its place.
        var info: (UInt, UInt, UInt, UInt) = (0, 0, 0, 0)
        return withUnsafeMutableBytes(of: &info) { dladdr(code, $0.baseAddress) } == 0 ? 0 : info.1
    }
}

/// The tasks that were made with a context bound.
final class TaskOwner: Sendable {
    private struct State {
        weak var context: StoreContext?
        var numbers: [UInt64] = []
    }

    private let state = Locked(State())

    var context: StoreContext? { state.withLock { $0.context } }

    init(_ context: StoreContext) { state.withLock { $0.context = context } }

    /// Adds a task, unless there are too many.
    fileprivate func add(_ number: UInt64, upTo limit: Int) -> Bool {
        state.withLock { state in
            if state.numbers.count >= limit { return false }
            state.numbers.append(number)
            return true
        }
    }

    /// Forgets the tasks, when the context is released.
    func end() {
        let numbers = state.withLock { state in
            defer { state.numbers = [] }
            return state.numbers
        }
        if !numbers.isEmpty { DetachedTasks.forget(numbers) }
    }
}

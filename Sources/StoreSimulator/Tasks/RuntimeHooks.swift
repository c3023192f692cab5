import Foundation
import StoreCore

/// The hooks of Swift's runtime by which a thread keeps the tasks that begin on it.
///
/// They belong to the process: a thread without a ``TaskScheduler`` is served by the hooks that were set before, or by the
/// runtime as ever. The runtime finds the general executor and the main actor's through them; actors' executors run on the
/// general one.
enum RuntimeHooks {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
    private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

    /// A variable of the runtime's, and the hook's address in it.
    private struct Place: @unchecked Sendable {  // unchecked: the runtime reads it without a lock, too
        let variable: UnsafeMutableRawPointer
        let hook: UInt

        /// Sets a hook.
        static func set<Hook>(_ hook: Hook, at variable: UnsafeMutableRawPointer) -> Place {
            variable.assumingMemoryBound(to: Hook?.self).pointee = hook
            return Place(variable: variable, hook: variable.load(as: UInt.self))
        }

        var isSet: Bool { variable.load(as: UInt.self) == hook }
    }

    // Set once, before the hooks are that read them.
    nonisolated(unsafe) private static var olderEnqueue: EnqueueHook?
    nonisolated(unsafe) private static var olderMainExecutor: MainExecutorHook?

    /// Where the hooks are, which are set on first use; nil with a runtime that does not have them.
    private static let places: [Place]? = {
        // Before these, which pass on to it: a hook that is set later would replace them.
        DetachedTasks.begin()
        guard let process = dlopen(nil, RTLD_NOW),
            let enqueue = dlsym(process, "swift_task_enqueueGlobal_hook"),
            let mainExecutor = dlsym(process, "swift_task_getMainExecutor_hook")
        else { return nil }
        olderEnqueue = enqueue.load(as: EnqueueHook?.self)
        olderMainExecutor = mainExecutor.load(as: MainExecutorHook?.self)
        let hook: EnqueueHook = { job, original in
            if let scheduler = TaskScheduler.current { return scheduler.general.enqueue(job) }
            if let older = RuntimeHooks.olderEnqueue { older(job, original) } else { original(job) }
        }
        let mainHook: MainExecutorHook = { original in
            if let scheduler = TaskScheduler.current { return scheduler.main.asUnownedSerialExecutor() }
            return RuntimeHooks.olderMainExecutor.map { $0(original) } ?? original()
        }
        return [Place.set(hook, at: enqueue), Place.set(mainHook, at: mainExecutor)]
    }()

    /// Sets the hooks, unless that was done.
    ///
    /// - Throws: a ``TaskSchedulerError`` if the runtime has none, or somebody has set others since.
    static func check() throws {
        guard let places else { throw TaskSchedulerError.noHooks }
        if !places.allSatisfy(\.isSet) { throw TaskSchedulerError.otherHooks }
    }
}

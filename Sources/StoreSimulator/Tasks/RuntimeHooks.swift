import Foundation

/// The hooks of Swift's runtime by which a thread keeps the tasks that begin on it.
///
/// They belong to the process: a thread without a ``TaskScheduler`` is served by the runtime as ever. The runtime finds the
/// general executor and the main actor's through them; actors' executors run on the general one.
enum RuntimeHooks {
    private typealias Enqueue = @convention(thin) (UnownedJob) -> Void
    private typealias EnqueueHook = @convention(thin) (UnownedJob, Enqueue) -> Void
    private typealias MainExecutor = @convention(thin) () -> UnownedSerialExecutor
    private typealias MainExecutorHook = @convention(thin) (MainExecutor) -> UnownedSerialExecutor

    /// Whether the hooks are set, which happens on first use; false with a runtime that does not have them.
    static let areSet: Bool = {
        guard let process = dlopen(nil, RTLD_NOW),
            let enqueue = dlsym(process, "swift_task_enqueueGlobal_hook"),
            let mainExecutor = dlsym(process, "swift_task_getMainExecutor_hook")
        else { return false }
        enqueue.assumingMemoryBound(to: EnqueueHook?.self).pointee = { job, original in
            guard let scheduler = TaskScheduler.current else { return original(job) }
            scheduler.general.enqueue(job)
        }
        mainExecutor.assumingMemoryBound(to: MainExecutorHook?.self).pointee = { original in
            TaskScheduler.current?.main.asUnownedSerialExecutor() ?? original()
        }
        return true
    }()
}

/// The state of a process: whether it has crashed.
///
/// Each launch has its own.
final class ProcessState: @unchecked Sendable {  // unchecked: a run uses one thread
    var hasCrashed = false

    /// The error that a crashed process gets from its disk.
    struct Crashed: Error {}
}

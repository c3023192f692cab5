import Foundation

/// A stack for signal handlers, without which a stack overflow could not be handled.
///
/// A thread keeps its stack until it ends.
enum AlternateSignalStack {
    private static let size = 64 * 1_024

    /// The key of the threads' stacks; nil if the process has no more keys.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, remove) == 0 ? key : nil
    }()

    #if canImport(Darwin)
        private static let remove: @convention(c) (UnsafeMutableRawPointer) -> Void = { free($0) }
    #else
        private static let remove: @convention(c) (UnsafeMutableRawPointer?) -> Void = { free($0) }
    #endif

    private static func free(_ memory: UnsafeMutableRawPointer?) {
        guard let memory else { return }
        var present = stack_t()
        if sigaltstack(nil, &present) == 0, present.ss_sp == memory {
            var none = stack_t()
            none.ss_flags = numericCast(SS_DISABLE)
            sigaltstack(&none, nil)
        }
        memory.deallocate()
    }

    /// Gives the calling thread a stack, unless it has one.
    static func addToThread() {
        guard let key, pthread_getspecific(key) == nil else { return }
        var stack = stack_t()
        guard sigaltstack(nil, &stack) == 0, stack.ss_flags & numericCast(SS_DISABLE) != 0 else { return }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        pthread_setspecific(key, memory)
        stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = size
        sigaltstack(&stack, nil)
    }
}

#if SANITIZED
    import Synchronization

    /// The bytes that are allocated at a time, counted by AddressSanitizer's hooks, on all threads.
    enum AllocationMeter {
        private static let count = Atomic(0)
        private static let highest = Atomic(0)

        static var current: Int { count.load(ordering: .relaxed) }

        /// Starts to count; returns false without AddressSanitizer.
        static func start() -> Bool {
            // The hooks may not allocate.
            installHooks(
                { _, size in
                    let count = AllocationMeter.count.add(size, ordering: .relaxed).newValue
                    AllocationMeter.highest.max(count, ordering: .relaxed)
                },
                { memory in AllocationMeter.count.subtract(allocatedSize(memory), ordering: .relaxed) }
            ) > 0
        }

        /// Returns the most bytes that were allocated at a time by a body, beyond those that were before.
        static func peak(_ body: () -> Void) -> Int {
            let before = current
            highest.store(before, ordering: .relaxed)
            body()
            return highest.load(ordering: .relaxed) - before
        }
    }

    @_silgen_name("__sanitizer_install_malloc_and_free_hooks")
    private func installHooks(
        _ allocated: @convention(c) (UnsafeRawPointer?, Int) -> Void,
        _ freed: @convention(c) (UnsafeRawPointer?) -> Void
    ) -> CInt

    @_silgen_name("__sanitizer_get_allocated_size")
    private func allocatedSize(_ memory: UnsafeRawPointer?) -> Int
#endif

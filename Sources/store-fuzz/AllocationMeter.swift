#if LIBFUZZER
    /// The bytes that are allocated at a time, counted by AddressSanitizer's hooks.
    enum AllocationMeter {
        nonisolated(unsafe) private static var current = 0
        nonisolated(unsafe) private static var highest = 0

        /// Starts to count; returns false without AddressSanitizer.
        static func start() -> Bool {
            // The hooks may not allocate.
            installHooks(
                { _, size in
                    AllocationMeter.current += size
                    AllocationMeter.highest = max(AllocationMeter.highest, AllocationMeter.current)
                },
                { memory in AllocationMeter.current -= allocatedSize(memory) }
            ) > 0
        }

        /// Returns the most bytes that were allocated at a time by a body, beyond those that were before.
        static func peak(_ body: () -> Void) -> Int {
            let before = current
            highest = before
            body()
            return highest - before
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

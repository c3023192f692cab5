// Says in a sentence what would otherwise show as an error for each missing function.
#if os(Windows)
    #error("StoreCore needs the threads and file locks of POSIX, which Windows does not have")
#elseif os(WASI)
    #error("StoreCore needs threads and Dispatch, which WebAssembly does not have")
#elseif arch(arm) || arch(i386) || arch(arm64_32)
    #error("StoreCore needs an Int of 64 bits: it counts the milliseconds since 1970")
#endif

#if LIBFUZZER
    import Foundation

    /// What libFuzzer calls.
    enum LibFuzzer {
        nonisolated(unsafe) static var limits: InputLimits?

        /// Writes the corpus, and returns the arguments for libFuzzer.
        static func prepare() throws -> [String] {
            let (options, target) = StoreFuzz.begin()
            limits = try InputLimits(options.target, target)
            var arguments = [CommandLine.arguments[0]]
            if options.files.isEmpty {
                arguments += [
                    "-max_total_time=\(options.seconds)", "-seed=\(options.seed)", "-max_len=65536",
                    "-artifact_prefix=\(options.folder.failurePrefix(options.target))", "-print_final_stats=1",
                    // For an input that never ends.
                    "-timeout=300",
                    try options.folder.writeCorpus(options.target, seeds: target.seeds).path,
                ]
            } else {
                arguments += options.files
            }
            return arguments
        }
    }

    typealias ArgumentVector = UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>

    @_cdecl("LLVMFuzzerInitialize")
    func initialize(_ count: UnsafeMutablePointer<CInt>, _ vector: UnsafeMutablePointer<ArgumentVector>) -> CInt {
        // Swift's runtime would catch the signal of a failed input, and libFuzzer not save it. What Swift keeps until the end
        // would count as leaked.
        if getenv("SWIFT_BACKTRACE") == nil {
            setenv("SWIFT_BACKTRACE", "enable=no", 1)
            setenv("ASAN_OPTIONS", "detect_leaks=0", 1)
            execv("/proc/self/exe", vector.pointee)
        }
        do {
            let arguments = try LibFuzzer.prepare()
            let copy = ArgumentVector.allocate(capacity: arguments.count + 1)
            for (index, argument) in arguments.enumerated() { copy[index] = strdup(argument) }
            copy[arguments.count] = nil
            (vector.pointee, count.pointee) = (copy, CInt(arguments.count))
        } catch {
            StoreFuzz.end(error)
        }
        return 0
    }

    @_cdecl("LLVMFuzzerTestOneInput")
    func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
        LibFuzzer.limits?.test(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
    }
#endif

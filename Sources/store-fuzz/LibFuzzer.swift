#if LIBFUZZER
    import Foundation

    /// What libFuzzer calls, and the limits of a single input.
    ///
    /// An input fails that stops the process, that takes more than a second of CPU time, or for which more memory
    /// is allocated at a time than 50 times its length and ``spareMemory``.
    enum LibFuzzer {
        /// What the shortest input may allocate: libcrypto, and Foundation at its deepest level of JSON, the 512th.
        static let spareMemory = 1 << 20
        static let mostMemoryPerByte = 50
        static let mostSeconds = 1.0

        nonisolated(unsafe) static var target: (any Target)?

        /// Writes the corpus, and returns the arguments for libFuzzer.
        static func prepare() throws -> [String] {
            let (options, target) = StoreFuzz.begin()
            self.target = target
            var arguments = [CommandLine.arguments[0]]
            if options.files.isEmpty {
                arguments += [
                    "-max_total_time=\(options.seconds)", "-seed=\(options.seed)", "-max_len=65536",
                    "-artifact_prefix=\(options.folder.failurePrefix(options.target))", "-print_final_stats=1",
                    // For an input that never ends; the limit is tested below.
                    "-timeout=10",
                    try options.folder.writeCorpus(options.target, seeds: target.seeds).path,
                ]
            } else {
                arguments += options.files
            }
            guard AllocationMeter.start() else { throw Options.Mistake(description: "there is no AddressSanitizer") }
            return arguments
        }

        /// Reads an input and tests the limits.
        static func test(_ input: [UInt8], with target: any Target) {
            let start = cpuTime
            let allocated = AllocationMeter.peak { target.read(input) }
            let seconds = cpuTime - start
            guard seconds <= mostSeconds else { fatalError("\(input.count) bytes took \(seconds) s") }
            guard allocated <= mostMemoryPerByte * input.count + spareMemory else {
                fatalError("\(input.count) bytes made the reader allocate \(allocated)")
            }
        }

        private static var cpuTime: Double {
            var time = timespec()
            clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
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
        guard let target = LibFuzzer.target else { return 0 }
        LibFuzzer.test(Array(UnsafeBufferPointer(start: start, count: count)), with: target)
        return 0
    }
#endif

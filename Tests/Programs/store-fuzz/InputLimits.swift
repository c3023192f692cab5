import Foundation

/// The limits of a single input.
///
/// An input fails that stops the process, that takes more than a second of CPU time, for which more memory is allocated at a
/// time than 50 times its length and ``TargetName/spareMemory``, or that leaves more memory each time it is read. Memory is
/// counted where `.ci/fuzz` has built with AddressSanitizer.
struct InputLimits {
    private let target: any Target
    private let spareMemory: Int
    /// The most memory so far beyond 50 times an input's length.
    private var highestExcess = 0

    static let mostMemoryPerByte = 50
    static let mostSeconds = 1.0
    /// How often an input is read again that left something: more often than libcrypto's list of errors is long, which keeps
    /// what the last ones said.
    private static let repeats = 64
    /// The bytes that Dispatch (Swift 6.3 on Linux) keeps of a timer that was canceled, for a while or for good.
    private static let timerRest = 64

    /// Starts to count memory, once the seeds are read: what Foundation and libcrypto make once, no input is charged with.
    init(_ name: TargetName, _ target: any Target) throws {
        (self.target, spareMemory) = (target, name.spareMemory)
        #if SANITIZED
            for seed in try target.seeds { target.read(seed) }
            guard AllocationMeter.start() else { throw Options.Mistake(description: "there is no AddressSanitizer") }
        #endif
    }

    /// Reads an input and tests the limits.
    mutating func test(_ input: [UInt8]) {
        let start = Self.cpuTime
        #if SANITIZED
            let kept = AllocationMeter.current
            let allocated = AllocationMeter.peak { target.read(input) }
        #else
            target.read(input)
        #endif
        let seconds = Self.cpuTime - start
        guard seconds <= Self.mostSeconds else { fatalError("\(input.count) bytes took \(seconds) s") }
        #if SANITIZED
            let excess = allocated - Self.mostMemoryPerByte * input.count
            guard excess <= spareMemory else {
                fatalError("\(input.count) bytes made the reader allocate \(allocated)")
            }
            tell(excess)
            // Something may stay after the first time, as what Foundation makes once, or a chain of certificates.
            if AllocationMeter.current > kept { requireEnd(of: input) }
        #endif
    }

    #if SANITIZED
        /// Tells what the spare memory has to be, when it was not known.
        private mutating func tell(_ excess: Int) {
            guard excess > highestExcess else { return }
            if excess > highestExcess * 5 / 4 { StoreFuzz.complain("\(excess) bytes beyond 50 times an input") }
            highestExcess = excess
        }

        private func requireEnd(of input: [UInt8]) {
            for _ in 0..<Self.repeats {
                let kept = AllocationMeter.current
                target.read(input)
                // A timer is released by a thread of its own, some time after it was canceled.
                usleep(1_000)
                if AllocationMeter.current <= kept + Self.timerRest { return }
            }
            fatalError("\(input.count) bytes leave more each time, at last \(AllocationMeter.current)")
        }
    #endif

    private static var cpuTime: Double {
        var time = timespec()
        // A server has threads of its own.
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}

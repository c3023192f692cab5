import Foundation
import StoreCore
import Synchronization

/// A text about a life in progress, which is printed if a trap or another fatal signal ends the process.
///
/// The signal handler allocates nothing and takes no lock: the text is prepared when the life begins, and found in a
/// fixed table. After printing, the handler restores the action that was set before it, such as that of Swift's
/// backtracer, and lets the signal happen again.
final class LastWords: Sendable {
    nonisolated(unsafe) private let text: UnsafeMutableBufferPointer<UInt8>
    private let thread = pthread_self()
    private let stepNumber = Atomic<Int>(0)
    private let slot: Int?
    private let stack: AlternateStack?

    /// Creates a text about a life on the calling thread, to be printed until ``retire()`` is called.
    init(_ text: String) {
        var text = text
        self.text = text.withUTF8 { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(fromContentsOf: bytes)
            return copy
        }
        slot = FatalSignals.freeSlot()
        stack = AlternateStack()
        if let slot { FatalSignals.slots[slot].store(bits, ordering: .sequentiallyConsistent) }
    }

    deinit { text.deallocate() }

    private var bits: UInt { UInt(bitPattern: Unmanaged.passUnretained(self).toOpaque()) }

    /// The number of the step in progress, counted from 1; 0 at the first launch, and -1 after the last step.
    var step: Int {
        get { stepNumber.load(ordering: .relaxed) }
        set { stepNumber.store(newValue, ordering: .relaxed) }
    }

    /// Ends the printing of the text; called on the thread that created it.
    func retire() {
        if let slot { FatalSignals.slots[slot].store(0, ordering: .sequentiallyConsistent) }
        stack?.remove()
        // The handler on another thread may be reading the text.
        if FatalSignals.isPrinting.load(ordering: .sequentiallyConsistent) { _ = Unmanaged.passRetained(self) }
    }

    /// Begins to handle fatal signals, until as many calls of ``end()``.
    static func begin() { FatalSignals.begin() }
    static func end() { FatalSignals.end() }

    fileprivate var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    fileprivate func write() {
        switch step {
        case 0: FatalSignals.write(" at its first launch")
        case -1: FatalSignals.write(" after its last step")
        default:
            FatalSignals.write(" at step ")
            FatalSignals.write(step)
        }
        FatalSignals.write(":\n")
        FatalSignals.write(UnsafeRawPointer(text.baseAddress), text.count)
        FatalSignals.write("\n")
    }
}

/// The handler of fatal signals, and the table of the texts that it prints.
private enum FatalSignals {
    static let capacity = 64
    /// The unretained ``LastWords`` in use, as bits; 0 in a free slot, and 1 in one that is taken and has no text yet.
    nonisolated(unsafe) static let slots: UnsafeMutablePointer<Atomic<UInt>> = {
        let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: capacity)
        for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
        return slots
    }()
    static let isPrinting = Atomic<Bool>(false)

    private static let signalCount = 6
    nonisolated(unsafe) private static let signals: UnsafeMutablePointer<(number: Int32, name: StaticString)> = {
        let all: [(number: Int32, name: StaticString)] = [
            (SIGILL, "SIGILL"), (SIGTRAP, "SIGTRAP"), (SIGSEGV, "SIGSEGV"), (SIGBUS, "SIGBUS"), (SIGABRT, "SIGABRT"),
            (SIGFPE, "SIGFPE"),
        ]
        let signals = UnsafeMutablePointer<(number: Int32, name: StaticString)>.allocate(capacity: signalCount)
        signals.initialize(from: all, count: signalCount)
        return signals
    }()
    /// The actions that were set before, in the order of the signals.
    nonisolated(unsafe) private static let former: UnsafeMutablePointer<sigaction> = {
        let former = UnsafeMutablePointer<sigaction>.allocate(capacity: signalCount)
        former.initialize(repeating: sigaction(), count: signalCount)
        return former
    }()
    /// The number of runs in progress.
    private static let runs = Locked(0)

    /// Takes a free slot; returns nil if there is none.
    static func freeSlot() -> Int? {
        (0..<capacity).first {
            slots[$0].compareExchange(expected: 0, desired: 1, ordering: .sequentiallyConsistent).exchanged
        }
    }

    static func begin() {
        // Created now, since the handler must not allocate.
        _ = (slots, isPrinting.load(ordering: .relaxed))
        runs.withLock { runs in
            runs += 1
            guard runs == 1 else { return }
            var action = sigaction()
            set(handleFatalSignal, in: &action)
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            sigemptyset(&action.sa_mask)
            for index in 0..<signalCount { sigaction(signals[index].number, &action, former + index) }
        }
    }

    static func end() {
        runs.withLock { runs in
            runs -= 1
            guard runs == 0 else { return }
            for index in 0..<signalCount {
                // Other code may have set an action of its own since.
                var action = sigaction()
                sigaction(signals[index].number, nil, &action)
                if isOwn(action) { sigaction(signals[index].number, former + index, nil) }
            }
        }
    }

    #if canImport(Darwin)
        private static func set(_ handler: @escaping Handler, in action: inout sigaction) {
            action.__sigaction_u.__sa_sigaction = handler
        }
        private static func isOwn(_ action: sigaction) -> Bool {
            unsafeBitCast(action.__sigaction_u.__sa_sigaction, to: UInt.self) == address
        }
        private typealias Handler =
            @convention(c) (Int32, UnsafeMutablePointer<__siginfo>?, UnsafeMutableRawPointer?) -> Void
    #else
        private static func set(_ handler: @escaping Handler, in action: inout sigaction) {
            action.__sigaction_handler.sa_sigaction = handler
        }
        private static func isOwn(_ action: sigaction) -> Bool {
            unsafeBitCast(action.__sigaction_handler.sa_sigaction, to: UInt.self) == address
        }
        private typealias Handler =
            @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
    #endif

    private static var address: UInt {
        let handler: Handler = handleFatalSignal
        return unsafeBitCast(handler, to: UInt.self)
    }

    // MARK: In the handler

    /// Prints the lives in progress, and restores the actions that were set before.
    static func print(_ signal: Int32) {
        guard !isPrinting.exchange(true, ordering: .sequentiallyConsistent) else { return }
        write("\nAppSimulation: the process ends by ")
        for index in 0..<signalCount where signals[index].number == signal { write(signals[index].name) }
        write("\n")
        printLives(ofThisThread: true)
        printLives(ofThisThread: false)
        for index in 0..<signalCount { sigaction(signals[index].number, former + index, nil) }
    }

    private static func printLives(ofThisThread isHere: Bool) {
        for index in 0..<capacity {
            guard let pointer = UnsafeRawPointer(bitPattern: slots[index].load(ordering: .sequentiallyConsistent)),
                UInt(bitPattern: pointer) != 1
            else { continue }
            Unmanaged<LastWords>.fromOpaque(pointer)._withUnsafeGuaranteedRef { words in
                guard words.isOfThisThread == isHere else { return }
                write(isHere ? "in this life," : "meanwhile, in another life,")
                words.write()
            }
        }
    }

    static func write(_ text: StaticString) { write(text.utf8Start, text.utf8CodeUnitCount) }

    static func write(_ number: Int) {
        if number > 9 { write(number / 10) }
        let digits: StaticString = "0123456789"
        write(digits.utf8Start + number % 10, 1)
    }

    static func write(_ bytes: UnsafeRawPointer?, _ count: Int) {
        guard var bytes else { return }
        var count = count
        while count > 0 {
            let written = Foundation.write(STDERR_FILENO, bytes, count)
            if written <= 0 { return }
            bytes += written
            count -= written
        }
    }
}

#if canImport(Darwin)
    private func handleFatalSignal(
        _ signal: Int32,
        _ info: UnsafeMutablePointer<__siginfo>?,
        _: UnsafeMutableRawPointer?
    ) {
        handleFatalSignal(signal, code: info?.pointee.si_code ?? 0)
    }
#else
    private func handleFatalSignal(
        _ signal: Int32,
        _ info: UnsafeMutablePointer<siginfo_t>?,
        _: UnsafeMutableRawPointer?
    ) {
        handleFatalSignal(signal, code: info?.pointee.si_code ?? 0)
    }
#endif

private func handleFatalSignal(_ signal: Int32, code: Int32) {
    FatalSignals.print(signal)
    // An instruction that faults does so again after the return, with what Swift's backtracer needs to know about it. A
    // trap does not, nor does a signal that was sent.
    if code <= 0 || signal == SIGTRAP { raise(signal) }
}

/// A stack for signal handlers, without which a stack overflow could not be handled.
private final class AlternateStack: Sendable {
    nonisolated(unsafe) private let memory: UnsafeMutableRawPointer
    private static let size = 64 * 1_024

    /// Creates a stack for the calling thread; nil if it has one.
    init?() {
        var present = stack_t()
        guard sigaltstack(nil, &present) == 0, present.ss_flags & numericCast(SS_DISABLE) != 0 else { return nil }
        memory = .allocate(byteCount: Self.size, alignment: 16)
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = Self.size
        sigaltstack(&stack, nil)
    }

    /// Removes the stack from the thread that created it.
    func remove() {
        var none = stack_t()
        none.ss_flags = numericCast(SS_DISABLE)
        sigaltstack(&none, nil)
    }

    deinit { memory.deallocate() }
}

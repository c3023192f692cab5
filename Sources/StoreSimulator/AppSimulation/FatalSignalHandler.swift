import Foundation
import StoreCore
import Synchronization

/// The handler of fatal signals, and the table of the texts that it prints.
enum FatalSignalHandler {
    static let capacity = 64
    /// The unretained ``CrashReport`` in use, as bits; 0 in a free slot, and 1 in one that is taken and has no text yet.
    nonisolated(unsafe) static let slots: UnsafeMutablePointer<Atomic<UInt>> = {
        let slots = UnsafeMutablePointer<Atomic<UInt>>.allocate(capacity: capacity)
        for index in 0..<capacity { (slots + index).initialize(to: Atomic(0)) }
        return slots
    }()
    /// The number of lives in progress that have no slot.
    static let excess = Atomic<Int>(0)
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
        _ = (slots, excess.load(ordering: .relaxed), isPrinting.load(ordering: .relaxed))
        runs.withLock { runs in
            runs += 1
            guard runs == 1 else { return }
            var action = sigaction()
            action.handler = handleFatalSignal
            action.sa_flags = SA_SIGINFO | SA_ONSTACK
            sigemptyset(&action.sa_mask)
            // A fault within the handler ends the process.
            for index in 0..<signalCount { sigaddset(&action.sa_mask, signals[index].number) }
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

    private static func isOwn(_ action: sigaction) -> Bool { unsafeBitCast(action.handler, to: UInt.self) == address }

    private static var address: UInt {
        let handler: SignalHandler = handleFatalSignal
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
        let excess = excess.load(ordering: .sequentiallyConsistent)
        if excess > 0 {
            write("further lives in progress, which are not printed: ")
            write(excess)
            write("\n")
        }
        for index in 0..<signalCount { sigaction(signals[index].number, former + index, nil) }
    }

    private static func printLives(ofThisThread isHere: Bool) {
        for index in 0..<capacity {
            guard let pointer = UnsafeRawPointer(bitPattern: slots[index].load(ordering: .sequentiallyConsistent)),
                UInt(bitPattern: pointer) != 1
            else { continue }
            Unmanaged<CrashReport>.fromOpaque(pointer)._withUnsafeGuaranteedRef { words in
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
    private typealias SignalInformation = __siginfo
#else
    private typealias SignalInformation = siginfo_t
#endif

private typealias SignalHandler =
    @convention(c) (Int32, UnsafeMutablePointer<SignalInformation>?, UnsafeMutableRawPointer?) -> Void

extension sigaction {
    /// The handler, in a union whose name differs from one C library to another.
    fileprivate var handler: SignalHandler? {
        get {
            #if canImport(Darwin)
                __sigaction_u.__sa_sigaction
            #elseif canImport(Musl)
                __sa_handler.sa_sigaction
            #elseif canImport(Android)
                sa_sigaction
            #else
                __sigaction_handler.sa_sigaction
            #endif
        }
        set {
            #if canImport(Darwin)
                __sigaction_u.__sa_sigaction = newValue
            #elseif canImport(Musl)
                __sa_handler.sa_sigaction = newValue
            #elseif canImport(Android)
                sa_sigaction = newValue
            #else
                __sigaction_handler.sa_sigaction = newValue
            #endif
        }
    }
}

private func handleFatalSignal(
    _ signal: Int32,
    _ info: UnsafeMutablePointer<SignalInformation>?,
    _: UnsafeMutableRawPointer?
) {
    handleFatalSignal(signal, code: info?.pointee.si_code ?? 0)
}

private func handleFatalSignal(_ signal: Int32, code: Int32) {
    FatalSignalHandler.print(signal)
    // An instruction that faults does so again after the return, with what Swift's backtracer needs to know about it. A
    // trap does not, nor does a signal that was sent.
    if code <= 0 || signal == SIGTRAP { raise(signal) }
}

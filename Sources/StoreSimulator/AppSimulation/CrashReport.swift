import Foundation
import StoreCore
import Synchronization

/// A text about a life in progress, which is printed if a trap or another fatal signal ends the process.
///
/// The signal handler allocates nothing and takes no lock: the text is prepared when the life begins, and found in a
/// fixed table. After printing, the handler restores the action that was set before it, such as that of Swift's
/// backtracer, and lets the signal happen again.
final class CrashReport: Sendable {
    nonisolated(unsafe) private let text: UnsafeMutableBufferPointer<UInt8>
    private let thread = pthread_self()
    private let stepNumber = Atomic<Int>(0)
    private let slot: Int?

    /// Creates a text about a life on the calling thread, to be printed until ``retire()`` is called.
    init(_ text: String) {
        var text = text
        self.text = text.withUTF8 { bytes in
            let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
            _ = copy.initialize(fromContentsOf: bytes)
            return copy
        }
        slot = FatalSignalHandler.freeSlot()
        AlternateSignalStack.addToThread()
        if let slot {
            FatalSignalHandler.slots[slot].store(bits, ordering: .sequentiallyConsistent)
        } else {
            FatalSignalHandler.excess.add(1, ordering: .sequentiallyConsistent)
        }
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
        if let slot {
            FatalSignalHandler.slots[slot].store(0, ordering: .sequentiallyConsistent)
        } else {
            FatalSignalHandler.excess.subtract(1, ordering: .sequentiallyConsistent)
        }
        // The handler on another thread may be reading the text.
        if FatalSignalHandler.isPrinting.load(ordering: .sequentiallyConsistent) { _ = Unmanaged.passRetained(self) }
    }

    /// Begins to handle fatal signals, until as many calls of ``end()``.
    static func begin() { FatalSignalHandler.begin() }
    static func end() { FatalSignalHandler.end() }

    var isOfThisThread: Bool { pthread_equal(thread, pthread_self()) != 0 }

    func write() {
        switch step {
        case 0: FatalSignalHandler.write(" at its first launch")
        case -1: FatalSignalHandler.write(" after its last step")
        default:
            FatalSignalHandler.write(" at step ")
            FatalSignalHandler.write(step)
        }
        FatalSignalHandler.write(":\n")
        FatalSignalHandler.write(UnsafeRawPointer(text.baseAddress), text.count)
        FatalSignalHandler.write("\n")
    }
}

import Foundation
import Testing

/// Runs the test cases of network suites eight at a time, whichever suite they belong to.
///
/// `swift test` begins all tests at once. A test that talks to a server on this machine would share the machine with hundreds of
/// others between its request and its answer, for as long as they take; a deadline would then measure them. A case that waits
/// here has not begun: what it counts, it counts from the moment in which it works.
public struct FewAtATime: SuiteTrait, TestTrait, TestScoping {
    /// True: a suite hands the trait on to its tests.
    public var isRecursive: Bool { true }

    private static let places = Places(8)

    /// The suite, whose tests begin at once, and each test case.
    public func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        test.isSuite || testCase != nil ? self : nil
    }

    /// Begins a suite promptly, and runs a test case once one of the eight places is free.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        if testCase == nil { return try await Promptly.perform(function) }
        await Self.places.enter()
        defer { Self.places.leave() }
        try await function()
    }
}

extension Trait where Self == FewAtATime {
    /// Runs each test case of the suite beside at most seven others of such suites.
    public static var fewAtATime: Self { Self() }
}

/// Begins a suite's tests at once, and runs them on a queue of their own.
///
/// It is for tests that wait, such as for a process or a database. `swift test` begins more than a thousand at once, which
/// take turns: a test that waits for a second turn would wait for all others, and one that blocks its thread would keep
/// one of the few from them. It matters to exit tests too: until their task has its turn, Swift Testing (of 6.3) asks for
/// their end in a loop.
public struct Promptly: SuiteTrait, TestScoping {
    /// Runs the tests of a suite.
    public func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws { try await Self.perform(function) }

    /// The priority is for tasks that the tests begin, which do not inherit the executor.
    fileprivate static func perform(_ function: @Sendable () async throws -> Void) async throws {
        try await withoutActuallyEscaping(function) { function in
            let task = Task(executorPreference: QueueForWaiting.shared, priority: .high) { try await function() }
            try await withTaskCancellationHandler {
                try await task.value
            } onCancel: {
                task.cancel()
            }
        }
    }
}

extension Trait where Self == Promptly {
    /// Runs the tests of the suite at once, on a queue of their own.
    public static var promptly: Self { Self() }
}

/// An executor on a queue of its own, whose jobs do not line up behind those of all other tests.
private final class QueueForWaiting: TaskExecutor {
    static let shared = QueueForWaiting()

    private let queue = DispatchQueue(label: "tests that wait", attributes: .concurrent)

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// A counting semaphore for tasks, which are let in in the order in which they came.
// unchecked: the lock guards all of it.
private final class Places: @unchecked Sendable {
    private let lock = NSLock()
    private var free: Int
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(_ count: Int) { free = count }

    func enter() async {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                guard free == 0 else {
                    free -= 1
                    return true
                }
                waiting.append(continuation)
                return false
            }
            if isFree { continuation.resume() }
        }
    }

    func leave() {
        let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
            guard waiting.isEmpty else { return waiting.removeFirst() }
            free += 1
            return nil
        }
        next?.resume()
    }
}

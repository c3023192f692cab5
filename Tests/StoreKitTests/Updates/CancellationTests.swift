import StoreCore
import StoreKit
import Synchronization
import TestSupport
import Testing

// A task that is canceled holds a lock of the runtime's while it calls whoever it waits for.
@Suite(.serialized) struct CancellationTests {
    private static let deliveries: [StoreDelivery] = [
        .inline, .main, .queue(DispatchQueue(label: "CancellationTests")),
    ]

    @Test(arguments: CancellationRace.Wait.allCases)
    func `A task may be canceled as what it awaits comes, again and again`(wait: CancellationRace.Wait) async throws {
        // Ten thousand times by night, most of them on the lane that calls back at once.
        for (delivery, part) in zip(Self.deliveries, [6, 2, 2]) {
            try await CancellationRace(wait, delivery).run(part * rounds(50, thoroughly: 1_000))
        }
    }

    @Test(arguments: CancellationRace.Wait.sequences)
    func `A task that iterates is woken without a lock, whoever wakes it`(wait: CancellationRace.Wait) async throws {
        for delivery in Self.deliveries {
            let race = try await CancellationRace(wait, delivery)
            let executor = CallingExecutor(race.context)
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    let task = Task(executorPreference: executor) { await race.wait { executor.arm() } }
                    executor.run()
                    race.act(0)
                    executor.run()
                    task.cancel()
                    executor.run()
                    continuation.resume()
                }
            }
            #expect(executor.wakings > 0)
        }
    }
}

/// An executor of tasks that calls Store Kit, and the store, on the thread that wakes a task: it would wait for itself there if
/// it held a lock.
private final class CallingExecutor: TaskExecutor {
    private struct State {
        var jobs: [UnownedJob] = []
        var isArmed = false
        var wakings = 0
    }

    private let state = Locked(State())
    private let context: StoreContext

    init(_ context: StoreContext) { self.context = context }

    /// The number of times that a task was woken since it was armed.
    var wakings: Int { state.withLock { $0.wakings } }

    func arm() { state.withLock { $0.isArmed = true } }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        let isWaking = state.withLock { state in
            defer { state.isArmed = false }
            if state.isArmed { state.wakings += 1 }
            return state.isArmed
        }
        if isWaking {
            context.run {
                _ = Transaction.updates.makeAsyncIterator()
                _ = SKPaymentQueue.default().transactions
                _ = SKPaymentQueue.default().storefront
            }
        }
        state.withLock { $0.jobs.append(job) }
    }

    /// Runs what is ready on this thread, until nothing more happens by itself.
    func run() {
        while true {
            context.settle()
            let jobs = state.withLock { state in
                defer { state.jobs = [] }
                return state.jobs
            }
            if jobs.isEmpty { return }
            for job in jobs { job.runSynchronously(on: asUnownedTaskExecutor()) }
        }
    }
}

import Foundation
import StoreCore
import TestSupport
import Testing

/// What is said of a callback that does not return while somebody settles.
@Suite(.promptly) struct SettleWatchTests {
    @Test(.timeLimit(.minutes(10)))
    func `A callback that waits for a thread that moves the clock is worth a warning`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let clock = ManualClock()
            clock.activity.watch.patience = 0.01
            // The warning ends the process; without one it would stay here for ever.
            let log = StoreLog { line in if line.contains("moves the clock") { exit(7) } }
            let queue = SKPaymentQueue(
                backend: try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock),
                delivery: .inline,
                log: log
            )
            let observer = Waiter {
                let hasMoved = DispatchSemaphore(value: 0)
                Thread.detachNewThread {
                    clock.advance(by: 1)
                    hasMoved.signal()
                }
                hasMoved.wait()
            }
            queue.add(observer)
            queue.add(SKPayment(productIdentifier: "sword"))
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `A request's callback that waits for a task that settles is worth a warning`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            let clock = ManualClock()
            clock.activity.watch.patience = 0.01
            let context = StoreContext(
                backend: try SandboxStore(products: [.consumable("sword", price: "0.99")], clock: clock),
                delivery: .inline,
                log: StoreLog { line in if line.contains("settles") { exit(7) } }
            )
            context.run {
                let delegate = Delegate {
                    let hasSettled = DispatchSemaphore(value: 0)
                    Task.detached {
                        await context.settle()
                        hasSettled.signal()
                    }
                    hasSettled.wait()
                }
                let request = SKProductsRequest(productIdentifiers: ["sword"])
                request.delegate = delegate
                request.start()
            }
        }
    }

    @Test func `Settling that waits long for one callback is worth one warning`() async throws {
        let bench = Bench()
        bench.member.batch = 1
        let settling = Task { await bench.activity.settle() }
        try await bench.nextLook()
        #expect(bench.lines.withLock { $0 }.count == 1)
        bench.wake()
        bench.member.isQuiet = true
        bench.wake()
        _ = await settling.value
        #expect(bench.scheduledLooks == 1)
    }

    @Test func `Callbacks that follow one another are not warned about, one that stays is`() async throws {
        let bench = Bench()
        bench.member.batch = 0
        let settling = Task { await bench.activity.settle() }
        for batch in 1...3 {
            let look = try await bench.takeLook()
            bench.member.batch = batch
            look()
        }
        #expect(bench.lines.withLock { $0 }.isEmpty)
        try await bench.nextLook()
        #expect(bench.lines.withLock { $0 }.count == 1)
        bench.member.isQuiet = true
        bench.wake()
        _ = await settling.value
    }

    @Test func `Once nobody settles any more, nothing is looked at`() async throws {
        let bench = Bench()
        bench.member.batch = 1
        let settling = Task { await bench.activity.settle() }
        let look = try await bench.takeLook()
        bench.member.isQuiet = true
        bench.wake()
        _ = await settling.value
        look()
        #expect(bench.lines.withLock { $0 }.isEmpty)
        #expect(bench.scheduledLooks == 1)
    }

    /// An activity whose looks are taken when the test says so, with one member that is not quiet.
    private final class Bench: Sendable {
        let activity: Activity
        let member: Member
        let lines = Locked<[String]>([])
        private let looks: AsyncStream<@Sendable () -> Void>
        private let count = Locked(0)

        init() {
            let (lines, count) = (lines, count)
            let (looks, continuation) = AsyncStream.makeStream(of: (@Sendable () -> Void).self)
            self.looks = looks
            activity = Activity(
                SettleWatch { _, look in
                    count.withLock { $0 += 1 }
                    continuation.yield(look)
                }
            )
            member = Member(log: StoreLog { line in lines.withLock { $0.append(line) } })
            activity.register(member)
        }

        /// The number of looks that have been scheduled.
        var scheduledLooks: Int { count.withLock { $0 } }

        func takeLook() async throws -> @Sendable () -> Void { try #require(await looks.first { _ in true }) }
        func nextLook() async throws { try await takeLook()() }
        func wake() { activity.begin().end() }
    }

    private final class Member: ActivityMember {
        private let state = Locked<(isQuiet: Bool, batch: Int?)>((false, nil))
        private let log: StoreLog

        init(log: StoreLog) { self.log = log }

        var isQuiet: Bool {
            get { state.withLock { $0.isQuiet } }
            set { state.withLock { $0.isQuiet = newValue } }
        }
        var batch: Int? {
            get { state.withLock { $0.batch } }
            set { state.withLock { $0.batch = newValue } }
        }

        var pulse: (isQuiet: Bool, work: Int) { (isQuiet, 0) }
        func drainHere() -> Bool { false }
        var waitingFor: [String] { [] }
        var callbacksUnderWay: CallbacksUnderWay? { batch.map { CallbacksUnderWay(of: self, batch: $0, log: log) } }
    }

    private final class Waiter: NSObject, SKPaymentTransactionObserver {
        private let wait: () -> Void
        init(_ wait: @escaping () -> Void) { self.wait = wait }

        func paymentQueue(_ queue: SKPaymentQueue, updatedTransactions transactions: [SKPaymentTransaction]) { wait() }
    }

    private final class Delegate: NSObject, SKProductsRequestDelegate {
        private let wait: () -> Void
        init(_ wait: @escaping () -> Void) { self.wait = wait }

        func productsRequest(_ request: SKProductsRequest, didReceive response: SKProductsResponse) { wait() }
    }
}

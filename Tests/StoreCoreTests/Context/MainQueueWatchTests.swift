import Foundation
import StoreCore
import TestSupport
import Testing

/// In processes of their own: there is one main queue.
@Suite(.promptly) struct MainQueueWatchTests {
    @Test(.timeLimit(.minutes(10)))
    func `Callbacks that wait long for a main queue that nobody drains are worth a warning`() async {
        await #expect(processExitsWith: .exitCode(7)) {
            MainQueueWatch.shared.patience = 0.01
            // The warning ends the process; without one it would stay here for ever.
            let log = StoreLog { line in if line.contains("main queue") { exit(7) } }
            DispatchQueue.main.async { DispatchSemaphore(value: 0).wait() }
            let context = StoreContext(
                backend: try SandboxStore(products: [.consumable("sword", price: "0.99")]),
                log: log
            )
            let observer = Recorder()
            context.run {
                SKPaymentQueue.default().add(observer)
                SKPaymentQueue.default().add(SKPayment(productIdentifier: "sword"))
            }
            await withUnsafeContinuation { (_: UnsafeContinuation<Void, Never>) in }
        }
    }

    @Test func `A main queue that has come to its callbacks by the time of the look is not warned about`() {
        let bench = Bench()
        bench.watch.scheduled(bench.log)
        bench.watch.begun()
        bench.look()
        #expect(bench.lines.withLock { $0 }.isEmpty)
        #expect(bench.looks.withLock { $0 }.isEmpty)
    }

    @Test func `What is scheduled while a look is to come is looked at by the next`() {
        let bench = Bench()
        bench.watch.scheduled(bench.log)
        bench.watch.begun()
        bench.watch.scheduled(bench.log)
        #expect(bench.looks.withLock { $0 }.count == 1)
        bench.look()
        #expect(bench.lines.withLock { $0 }.isEmpty)
        bench.look()
        #expect(bench.lines.withLock { $0 }.count == 1)
    }

    @Test func `One warning is enough`() {
        let bench = Bench()
        bench.watch.scheduled(bench.log)
        bench.look()
        bench.watch.scheduled(bench.log)
        #expect(bench.looks.withLock { $0 }.isEmpty)
        #expect(bench.lines.withLock { $0 }.count == 1)
    }

    /// A watch whose looks are taken when the test says so.
    private struct Bench {
        let looks = Locked<[@Sendable () -> Void]>([])
        let lines = Locked<[String]>([])
        let watch: MainQueueWatch
        let log: StoreLog

        init() {
            let (looks, lines) = (looks, lines)
            watch = MainQueueWatch { _, look in looks.withLock { $0.append(look) } }
            log = StoreLog { line in lines.withLock { $0.append(line) } }
        }

        func look() {
            let due = looks.withLock { looks in
                defer { looks = [] }
                return looks
            }
            for look in due { look() }
        }
    }
}

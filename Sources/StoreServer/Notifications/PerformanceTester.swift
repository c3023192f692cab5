import Foundation
import StoreCore

/// Tests how fast the app's server chooses retention messages, one test at a time.
///
/// The App Store does not publish its numbers, but for the time of a response; the others are this store's.
package final class PerformanceTester: Sendable {
    /// The maximum number of requests at the same time.
    static let maximumConcurrency = 10
    /// The number of requests of a test.
    static let requests = 100
    /// The percentage of requests that has to be answered.
    static let successRate = 95

    /// A test in progress.
    private struct Run {
        let identifier: UUID
        let question: RetentionQuestion
        let url: String
        let work: Activity.Work
        var sent = 0
        var times: [Int] = []
        var failures: [String: Int] = [:]

        var answered: Int { times.count + failures.values.reduce(0, +) }

        var outcome: RetentionTest {
            let rate = answered == 0 ? 0 : times.count * 100 / answered
            return RetentionTest(
                identifier: identifier,
                target: url,
                successRate: rate,
                responseTimes: RetentionTest.Times(times),
                failures: failures,
                isPassed: answered == requests && rate >= successRate
            )
        }
    }

    private let client: RealtimeClient
    /// The maximum time of a response, in milliseconds.
    var threshold: Int { Int(client.timeout * 1000) }
    private let view: ServerView
    private let log: StoreLog
    private let run = Locked<Run?>(nil)

    /// Creates a tester that asks through a client.
    package init(_ client: RealtimeClient, _ view: ServerView, log: StoreLog = .silent) {
        (self.client, self.view, self.log) = (client, view, log)
    }

    /// Begins a test.
    ///
    /// - Parameters:
    ///   - original: the subscription's first transaction.
    ///   - product: its product.
    ///   - url: the server's URL.
    /// - Returns: the test's identifier.
    /// - Throws: ``RetentionError/testInProgress``.
    func begin(original: String, product: String, at url: String) throws(RetentionError) -> UUID {
        let locale = view.store.locale.replacing("_", with: "-")
        let identifier = UUID()
        let begun = Run(
            identifier: identifier,
            question: RetentionQuestion(original: original, product: product, locale: locale),
            url: url,
            work: view.clock.activity.begin()
        )
        let isFree = run.withLock { run in
            guard run == nil else { return false }
            run = begun
            return true
        }
        guard isFree else {
            begun.work.end()
            throw .testInProgress
        }
        for _ in 0..<Self.maximumConcurrency { askNext() }
        return identifier
    }

    /// Returns a test as it stands, with the number of requests that are not answered; nil for another one.
    func test(_ identifier: UUID) -> (outcome: RetentionTest, pending: Int)? {
        let current = run.withLock { $0 }
        if let current, current.identifier == identifier {
            return (current.outcome, max(1, Self.requests - current.answered))
        }
        return view.store.retentionTest(identifier).map { ($0, 0) }
    }

    private func askNext() {
        let next = run.withLock { run -> (RetentionQuestion, String)? in
            guard let current = run, current.sent < Self.requests else { return nil }
            run?.sent += 1
            let question = current.question
            let another = RetentionQuestion(
                original: question.original,
                product: question.product,
                locale: question.locale
            )
            return (another, current.url)
        }
        guard let (question, url) = next else { return }
        let start = ContinuousClock.now
        client.post(question, to: url) { result, _, _ in self.finish(result, after: ContinuousClock.now - start) }
    }

    private func finish(_ result: SendAttemptResult, after time: Duration) {
        let done = run.withLock { run -> Run? in
            if result == .success {
                run?.times.append(Int(time / .milliseconds(1)))
            } else {
                run?.failures[result.rawValue, default: 0] += 1
            }
            return run?.answered == Self.requests ? run : nil
        }
        guard let done else { return askNext() }
        do {
            try view.store.record(done.outcome)
        } catch {
            log("the outcome of a performance test cannot be recorded in the ledger: \(error)")
        }
        run.withLock { $0 = nil }
        done.work.end()
    }
}

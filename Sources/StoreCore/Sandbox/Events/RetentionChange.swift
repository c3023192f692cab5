import Foundation

/// A change to retention messages, or the display of one.
enum RetentionChange: Hashable, Codable, Sendable {
    /// An image was uploaded.
    case imageAdded(RetentionImage)
    /// An image was deleted.
    case imageRemoved(UUID)
    /// A message was uploaded.
    case messageAdded(RetentionMessage)
    /// A message was deleted, with the defaults that name it.
    case messageRemoved(UUID)
    /// A message or an image was reviewed.
    case reviewed(UUID, RetentionApproval)
    /// A default message was set, in place of an earlier one.
    case defaultSet(RetentionDefault)
    /// A default message was removed.
    case defaultRemoved(product: String, locale: String)
    /// The URL of the server that chooses messages was set, or removed.
    case realtimeURLSet(String?)
    /// A test of that server's performance was completed.
    case tested(RetentionTest)
    /// A subscriber saw a message or none; `refusal` says why the server's choice was not used.
    case viewed(subscription: SubscriptionIndex, message: UUID?, refusal: String?)
}

/// The message for subscribers to a product with a language, unless the app's server chooses another.
struct RetentionDefault: Hashable, Codable, Sendable {
    let product: String
    let locale: String
    let message: UUID
}

/// The outcome of a test of the performance of a server that chooses messages.
package struct RetentionTest: Hashable, Codable, Sendable {
    /// The test's identifier.
    package let identifier: UUID
    /// The URL that was asked.
    package let target: String
    /// The percentage of requests that were answered.
    package let successRate: Int
    /// The times of answers in milliseconds: the average and four percentiles.
    package let responseTimes: Times
    /// The number of failures by the name of the result.
    package let failures: [String: Int]
    /// Whether enough requests were answered.
    package let isPassed: Bool

    /// Times in milliseconds.
    package struct Times: Hashable, Codable, Sendable {
        package let average: Int
        package let p50: Int
        package let p90: Int
        package let p95: Int
        package let p99: Int

        /// Computes the times of some answers; zeros without an answer.
        package init(_ milliseconds: [Int]) {
            let sorted = milliseconds.sorted()
            func percentile(_ percent: Int) -> Int {
                sorted.isEmpty ? 0 : sorted[min(sorted.count - 1, sorted.count * percent / 100)]
            }
            average = sorted.isEmpty ? 0 : sorted.reduce(0, +) / sorted.count
            (p50, p90, p95, p99) = (percentile(50), percentile(90), percentile(95), percentile(99))
        }
    }

    /// Creates an outcome.
    package init(
        identifier: UUID,
        target: String,
        successRate: Int,
        responseTimes: Times,
        failures: [String: Int],
        isPassed: Bool
    ) {
        self.identifier = identifier
        self.target = target
        self.successRate = successRate
        self.responseTimes = responseTimes
        self.failures = failures
        self.isPassed = isPassed
    }
}

import Foundation

extension Date {
    /// 1 June 2025, in the night.
    static let start = Date(timeIntervalSince1970: 1_748_736_000)
}

extension TimeInterval {
    static let day = 86_400.0
    static let year = 365 * day
}

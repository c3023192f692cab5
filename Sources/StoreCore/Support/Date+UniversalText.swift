import Foundation

extension Date {
    /// The moment in UTC to the second, as in `2012-09-21 01:31:38`.
    package var universalText: String {
        formatted(.iso8601.year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: false))
    }
}

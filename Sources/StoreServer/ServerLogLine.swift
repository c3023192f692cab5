/// A line of a log of a server.
package enum ServerLogLine: Sendable {
    /// A request that the App Store's servers answered.
    case request(RequestLine)
    /// A post of a notification.
    case delivery(DeliveryLine)

    /// Returns the line with the path of a test's store below that of its server.
    func below(_ path: String) -> ServerLogLine {
        switch self {
        case .request(let line): .request(line.below(path))
        case .delivery(let line): .delivery(line.below(path))
        }
    }
}

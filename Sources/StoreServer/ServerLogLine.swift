/// A line of a log of a server.
package enum ServerLogLine: Sendable {
    /// A request that the App Store's servers answered.
    case request(RequestLine)
    /// A post of a notification.
    case delivery(DeliveryLine)

    /// Returns the line with the path of a store below that of its server.
    func below(_ path: String) -> ServerLogLine {
        guard case .request(let line) = self else { return self }
        return .request(line.below(path))
    }
}

import StoreCore

extension ServerView {
    /// Calls a closure with each notification behind a position, oldest first, until it returns false.
    func forEachNotification(
        after position: ServerNotification.Position?,
        _ body: (ServerNotification) throws -> Bool
    ) throws {
        var position = position
        while true {
            let page = try notifications(after: position, limit: 256)
            for notification in page where try !body(notification) { return }
            guard let last = page.last else { return }
            position = last.position
        }
    }

    /// Returns the position of the newest notification; nil if there is none.
    func lastNotification() throws -> ServerNotification.Position? {
        var last: ServerNotification.Position?
        try forEachNotification(after: nil) {
            last = $0.position
            return true
        }
        return last
    }
}

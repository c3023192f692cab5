import Foundation
import StoreCore

extension ServerView {
    /// Calls a closure with each notification behind a position, oldest first, until it returns false.
    ///
    /// With a date it leaves out those before, or most of them.
    func forEachNotification(
        after position: ServerNotification.Position?,
        since date: Date? = nil,
        _ body: (ServerNotification) throws -> Bool
    ) throws {
        var position = position
        while true {
            let page = try notifications(after: position, since: date, limit: 256)
            for notification in page where try !body(notification) { return }
            guard let last = page.last else { return }
            position = last.position
        }
    }
}

import Foundation

extension SandboxStore {
    /// The store's events in order, with the notifications that an app's server receives.
    ///
    /// - Throws: the error that prevents reading the ledger.
    public var timeline: SandboxTimeline {
        get throws {
            let history = LedgerHistory()
            /// The events, each with the number of records up to and including its own.
            var events: [(position: Int, entry: SandboxTimeline.Entry)] = []
            var notifies = false
            try driver.look { driverState, _ in
                var deliveries = (driverState.deliveries ?? [])[...]
                func addDeliveries() {
                    while let next = deliveries.first, next.position <= history.state.position {
                        events.append((history.state.position, next.entry))
                        deliveries.removeFirst()
                    }
                }
                addDeliveries()
                try driverState.forEachRecord { record in
                    history.take(record)
                    let entry = SandboxTimeline.Entry(record, history)
                    notifies = notifies || entry.kind == .server
                    events.append((history.state.position, entry))
                    addDeliveries()
                }
            }
            guard notifies else { return SandboxTimeline(entries: events.map(\.entry)) }
            // Read after the lock was released: notifications of newer records are left out by their positions below.
            var notifications = try ServerView(self).notifications(after: nil, limit: .max)[...]
            var entries: [SandboxTimeline.Entry] = []
            func addNotifications(before position: Int, _ date: Date = .distantPast) {
                while let next = notifications.first, (next.position.record, next.date) < (position, date) {
                    entries.append(SandboxTimeline.Entry(next, history))
                    notifications.removeFirst()
                }
            }
            for event in events {
                // A device may be told of a record long after the server was.
                addNotifications(before: event.position, event.entry.isDelivery ? event.entry.date : .distantPast)
                entries.append(event.entry)
            }
            addNotifications(before: history.state.position + 1)
            return SandboxTimeline(entries: entries)
        }
    }
}

extension SandboxTimeline.Entry {
    /// Creates the entry of a notification about a record that `history` has applied.
    fileprivate init(_ notification: ServerNotification, _ history: LedgerHistory) {
        let place = notification.position
        let detail = notification.subtype.map { " (\($0))" } ?? ""
        self.init(date: notification.date, kind: .notification, what: "server notified: \(notification.type)\(detail)")
        self.notification = Self.notification(place.index, aboutRecord: place.record)
        guard let payload = notification.transaction else { return }
        transaction = payload.transactionId
        productIdentifier = payload.productId
        account = TransactionNumber(payload.transactionId).flatMap { history.transaction($0)?.account }
    }
}

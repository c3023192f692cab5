extension SandboxTimeline {
    /// A link between an event and an earlier one that caused it.
    public struct Link: Hashable, Sendable {
        /// The index of the earlier event in ``SandboxTimeline/entries``.
        public let source: Int
        /// The index of the later event in ``SandboxTimeline/entries``.
        public let target: Int
    }

    /// The links between the events, in the order of the later events.
    ///
    /// Links lead from an order to its outcome, its deliveries to devices, and its finish; from a subscription's period
    /// to the next; from a purchase to its restoration and its refund; and from an event to its notification.
    ///
    /// Computing the links takes time proportional to the number of events.
    public var links: [Link] {
        var tracer = LinkTracer()
        return entries.indices.flatMap { place in
            tracer.sources(of: entries[place], at: place).sorted().map { Link(source: $0, target: place) }
        }
    }
}

/// Finds the causes of each event among the events before it, all by their indices in the timeline.
private struct LinkTracer {
    private struct DeliveryKey: Hashable {
        let transaction: String
        let device: String?
    }

    /// The last decision about each transaction.
    private var decided: [String: Int] = [:]
    private var finished: [String: Int] = [:]
    private var deliveries: [DeliveryKey: Int] = [:]
    /// The newest period or change of each subscription, by its first transaction.
    private var newest: [String: Int] = [:]
    /// For each command, its last event that concerns no single transaction.
    private var commanded: [OrderID: Int] = [:]
    /// The event that last ended the access to each product.
    private var revoked: [ExactText: Int] = [:]
    private var notifications: [String: Int] = [:]
    /// The last event of the ledger.
    private var last: Int?

    /// Returns the indices of the causes of an event, and records the event.
    mutating func sources(of entry: SandboxTimeline.Entry, at place: Int) -> Set<Int> {
        let transactions = [entry.transaction].compactMap { $0 } + entry.others
        defer { note(entry, transactions, at: place) }
        switch entry.kind {
        case .delivery:
            let decisions = transactions.compactMap { [decided[$0], finished[$0]].compactMap { $0 }.max() }
            return Set(decisions + entry.revoked.compactMap { revoked[ExactText($0)] } + command(of: entry))
        case .finish:
            return Set(
                transactions.compactMap {
                    deliveries[DeliveryKey(transaction: $0, device: entry.device)] ?? decided[$0]
                }
            )
        case .notification:
            if let sent = entry.notification.flatMap({ notifications[$0] }) { return [sent] }
            return Set([last].compactMap { $0 })
        case .subscription, .server: return Set(transactions.compactMap { newest[$0] ?? decided[$0] })
        case .renewal: return Set(entry.originals.compactMap { newest[$0] ?? decided[$0] })
        case .restoration: return Set(entry.originals.compactMap { decided[$0] } + command(of: entry))
        case .sale, .sharing: return Set((transactions + entry.originals).compactMap { newest[$0] ?? decided[$0] })
        case .setting, .order, .waiting, .refusal, .refund, .deletion:
            return Set(transactions.compactMap { decided[$0] })
        }
    }

    private func command(of entry: SandboxTimeline.Entry) -> [Int] {
        entry.order.flatMap { commanded[$0] }.map { [$0] } ?? []
    }

    private mutating func note(_ entry: SandboxTimeline.Entry, _ transactions: [String], at place: Int) {
        switch entry.kind {
        case .delivery:
            for transaction in transactions {
                deliveries[DeliveryKey(transaction: transaction, device: entry.device)] = place
            }
            return
        case .notification:
            // Only a notification's first entry is recorded: later ones, its attempted deliveries, link back to the
            // first.
            if let sent = entry.notification, notifications[sent] == nil { notifications[sent] = place }
            return
        case .finish: for transaction in transactions { finished[transaction] = place }
        case .subscription, .server: for transaction in transactions { newest[transaction] = place }
        case .setting, .order, .waiting, .sale, .refusal, .renewal, .restoration, .sharing, .refund, .deletion:
            for transaction in transactions { decided[transaction] = place }
        }
        if entry.kind == .renewal || entry.kind == .sale { for first in entry.originals { newest[first] = place } }
        if entry.transaction == nil, let order = entry.order { commanded[order] = place }
        for product in entry.revoked { revoked[ExactText(product)] = place }
        last = place
    }
}

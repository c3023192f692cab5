import Foundation

/// A delivery to a device, for the timeline.
struct DeliveryTraceEntry: Sendable {
    /// The number of deliveries that are retained at least.
    static let limit = 10_000

    /// The number of events that the store had applied at the delivery.
    let position: Int
    let entry: SandboxTimeline.Entry
}

extension SandboxDriverState {
    /// Traces an exchange with a device, if tracing is on.
    mutating func trace(_ exchange: Exchange, to device: DeviceID, now: Date) {
        var entries: [SandboxTimeline.Entry] = []
        switch exchange.updates {
        case .none: break
        case .batch:
            if exchange.batch.after == nil {
                let what = "told what is unfinished: \(exchange.batch.updates.count)"
                entries.append(SandboxTimeline.Entry(date: now, kind: .delivery, what: what, isDelivery: true))
            }
            for update in exchange.batch.updates { entries.append(SandboxTimeline.Entry(update, at: now)) }
        case .lost(let failure):
            let what = "connection lost: \(failure.reason)"
            entries.append(SandboxTimeline.Entry(date: now, kind: .delivery, what: what, isDelivery: true))
        }
        for var entry in entries {
            entry.device = state.devices[device].name
            deliveries?.append(DeliveryTraceEntry(position: state.position, entry: entry))
        }
        // The oldest are removed in bulk, since each removal moves all others.
        let excess = (deliveries?.count ?? 0) - DeliveryTraceEntry.limit
        if excess > DeliveryTraceEntry.limit { deliveries?.removeFirst(excess) }
    }
}

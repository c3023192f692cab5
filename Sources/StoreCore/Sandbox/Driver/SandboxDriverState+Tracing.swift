import Foundation

extension SandboxDriverState {
    /// Traces what a device is given, if tracing is on.
    mutating func trace(_ exchange: Exchange, to device: DeviceID, now: Date) {
        var entries: [SandboxTimeline.Entry] = []
        switch exchange.news {
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
    }
}

import Foundation

/// Something sent to a device, for the timeline.
struct TracedDelivery: Sendable {
    /// How many events the store had by then.
    let position: Int
    let entry: SandboxTimeline.Entry
}

extension SandboxShell {
    /// Notes what a device is given, if somebody wants to know.
    mutating func trace(_ exchange: Exchange, to device: Int, now: Date) {
        var entries: [SandboxTimeline.Entry] = []
        switch exchange.news {
        case .none: break
        case .batch:
            if exchange.batch.after == nil {
                let what = "told what is unfinished: \(exchange.batch.updates.count)"
                entries.append(SandboxTimeline.Entry(date: now, what: what, isDelivery: true))
            }
            for update in exchange.batch.updates { entries.append(SandboxTimeline.Entry(update, at: now)) }
        case .lost(let failure):
            let what = "connection lost: \(failure.reason)"
            entries.append(SandboxTimeline.Entry(date: now, what: what, isDelivery: true))
        }
        for var entry in entries {
            entry.device = state.devices[device].name
            deliveries?.append(TracedDelivery(position: state.position, entry: entry))
        }
    }
}

extension SandboxTimeline.Entry {
    fileprivate init(_ update: StoreUpdate, at now: Date) {
        self.init(date: now, what: "", isDelivery: true)
        switch update {
        case .transaction(let transaction):
            self.transaction = transaction.identifier
            productIdentifier = transaction.payment.productIdentifier
            quantity = transaction.payment.quantity
            what = "told: \(transaction.state)"
        case .finished(let transaction, _):
            self.transaction = transaction
            what = "told: finished elsewhere"
        case .restoreEnded(let command, let failure):
            order = command
            what = "told: restore ended"
            refusal = failure
        case .storefront(let storefront):
            what = "told: storefront \(storefront?.countryCode ?? "unknown")"
        case .revoked(let identifiers):
            what = "told: revoked \(identifiers.joined(separator: ", "))"
        case .promoted(let payment, _):
            productIdentifier = payment.productIdentifier
            what = "told: promoted"
        }
    }
}

import Foundation
import Synchronization

/// Something sent to a device, for the timeline.
struct TracedDelivery: Sendable {
    /// How many events the store had by then.
    let position: Int
    let entry: SandboxTimeline.Entry
}

extension SandboxCore {
    /// Notes what is about to be sent, if somebody wants to know.
    func trace(_ batch: UpdateBatch, to device: Int) {
        guard isTracing.load(ordering: .relaxed) else { return }
        var entries: [SandboxTimeline.Entry] = []
        let now = timekeeper.now
        if batch.after == nil {
            let count = batch.updates.count
            entries.append(
                SandboxTimeline.Entry(date: now, what: "told what is unfinished: \(count)", isDelivery: true)
            )
        }
        for update in batch.updates { entries.append(SandboxTimeline.Entry(update, at: now)) }
        add(entries, device)
    }

    /// The same of a connection that breaks.
    func trace(_ failure: StoreFailure, to device: Int) {
        guard isTracing.load(ordering: .relaxed) else { return }
        let what = "connection lost: \(failure.reason)"
        add([SandboxTimeline.Entry(date: timekeeper.now, what: what, isDelivery: true)], device)
    }

    private func add(_ entries: [SandboxTimeline.Entry], _ device: Int) {
        shell.withLock { shell in
            for var entry in entries {
                entry.device = shell.state.devices[device].name
                shell.deliveries?.append(TracedDelivery(position: shell.state.position, entry: entry))
            }
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

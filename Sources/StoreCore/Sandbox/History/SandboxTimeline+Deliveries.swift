import Foundation

extension SandboxTimeline.Entry {
    init(_ update: StoreUpdate, at now: Date) {
        self.init(date: now, kind: .delivery, what: "", isDelivery: true)
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
            revoked = identifiers
            what = "told: revoked \(identifiers.joined(separator: ", "))"
        case .promoted(let payment, _):
            productIdentifier = payment.productIdentifier
            what = "told: promoted"
        }
    }
}

import Foundation

extension SandboxState {
    /// Returns the events that make a store sell products, and for a country; none where it does already.
    func registration(of products: [SandboxProduct], for countryCode: String?, at now: Date) -> [LedgerRecord] {
        var events: [LedgerRecord] = []
        for product in products where catalog.product(product.identifier) != product {
            events.append(LedgerRecord(date: now, event: .registered(product)))
        }
        if let countryCode, countryCode != catalog.countryCode {
            events.append(LedgerRecord(date: now, event: .operator(.storefront(countryCode))))
        }
        return events
    }
}

import Foundation

// What a store's owner may do about the payment for renewals.
extension SandboxStore {
    /// Whether subscriptions give access for a while after a renewal that could not be paid for; false on a new ledger.
    public var grantsGracePeriod: Bool { core.look { shell, _ in shell.state.billing.grantsGracePeriod } }

    /// Grants a grace period after renewals that cannot be paid for from now on, or none.
    ///
    /// How long it lasts is ``RenewalRate/gracePeriod(for:)``. A renewal that failed before keeps what it had. It says
    /// nothing of which renewals fail: see ``SandboxAccount/setBillingFails(_:)``. The ledger keeps it.
    ///
    /// - Throws: what the ledger throws.
    public func setGrantsGracePeriod(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.billing.grantsGracePeriod != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.gracePeriod(isOn))))
        }
    }

    /// How often a subscription renews at the most, nil for no limit; nil on a new ledger.
    public var renewalLimit: Int? { core.look { shell, _ in shell.state.billing.renewalLimit } }

    /// Lets subscriptions end after some renewals, or renew for ever.
    ///
    /// Apple's sandbox stops after 12. What counts are the renewals since the subscription was last bought; one that has
    /// had more already ends with its period, with ``SubscriptionEnd/renewalLimitReached``. The ledger keeps the limit.
    ///
    /// - Parameter limit: at least 0, nil for none; anything less stops the process.
    /// - Throws: what the ledger throws.
    public func setRenewalLimit(_ limit: Int?) throws {
        precondition(limit ?? 0 >= 0, "a subscription cannot renew less than 0 times")
        try core.change { state, events, now in
            guard state.billing.renewalLimit != limit else { return }
            events.append(LedgerRecord(date: now, event: .billing(.renewalLimit(limit))))
        }
    }

    /// Gives a product a higher price, and asks its subscribers to agree to it.
    ///
    /// Who buys it from now on pays the new price. Each account whose running subscription renews as the product is asked,
    /// and keeps its price until it has agreed: see ``SandboxAccount/requestPriceIncreaseConsent(inGroup:)``. A price
    /// that is not above what a subscriber pays needs no consent. Prices of its own that the product has in single
    /// countries stay; while the store sells for one of those nobody is asked, and renewals cost that price, whatever an
    /// account keeps elsewhere.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - price: the new price, exact as in `"0.99"`. Anything but digits and a point stops the process.
    /// - Throws: ``SandboxError/unknownProduct(_:)``, ``CatalogError`` for a price at which it cannot be sold, and what
    ///   the ledger throws.
    public func raisePrice(of productIdentifier: String, to price: String) throws {
        let price = ExactPrice.written(price, for: productIdentifier)
        try core.change { state, events, now in
            guard let number = state.catalog.index(of: productIdentifier) else {
                throw SandboxError.unknownProduct(productIdentifier)
            }
            var product = state.catalog[number]
            product.price = price
            _ = try Catalog([product])
            events.append(LedgerRecord(date: now, event: .registered(product)))
            for event in state.questions(about: product.price(in: state.catalog.countryCode), of: number) {
                events.append(LedgerRecord(date: now, event: event))
            }
        }
    }
}

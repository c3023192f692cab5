import Foundation

// The operator's control over the payment for renewals.
extension SandboxStore {
    /// Whether subscriptions give access for a while after a failed renewal; false on a new ledger.
    public var grantsGracePeriod: Bool { core.look { shell, _ in shell.state.billing.grantsGracePeriod } }

    /// Turns the grace period on or off for renewals that fail from now on.
    ///
    /// ``RenewalRate/gracePeriod(for:)`` is its length. A renewal that failed before keeps what it had. Which renewals
    /// fail is set by ``SandboxAccount/setBillingFails(_:)``. The ledger keeps the setting.
    ///
    /// - Throws: the ledger's errors.
    public func setGrantsGracePeriod(_ isOn: Bool) throws {
        try core.change { state, events, now in
            guard state.billing.grantsGracePeriod != isOn else { return }
            events.append(LedgerRecord(date: now, event: .billing(.gracePeriod(isOn))))
        }
    }

    /// The maximum number of renewals of a subscription, nil for no limit; nil on a new ledger.
    public var renewalLimit: Int? { core.look { shell, _ in shell.state.billing.renewalLimit } }

    /// Limits the number of renewals of a subscription, or removes the limit.
    ///
    /// Apple's sandbox stops after 12. Renewals count since the subscription was last bought. A subscription that has
    /// had more already ends with its period, with ``SubscriptionEnd/renewalLimitReached``. The ledger keeps the limit.
    ///
    /// - Parameter limit: at least 0, nil for none; a negative number stops the process.
    /// - Throws: the ledger's errors.
    public func setRenewalLimit(_ limit: Int?) throws {
        precondition(limit ?? 0 >= 0, "a subscription cannot renew less than 0 times")
        try core.change { state, events, now in
            guard state.billing.renewalLimit != limit else { return }
            events.append(LedgerRecord(date: now, event: .billing(.renewalLimit(limit))))
        }
    }

    /// Raises a product's price, and asks its subscribers to agree to it.
    ///
    /// Purchases from now on cost the new price. Each account whose running subscription renews as the product is
    /// asked, and keeps its price until it has agreed: see ``SandboxAccount/requestPriceIncreaseConsent(inGroup:)``. A
    /// price that is not above what a subscriber pays needs no consent. Separate prices that the product has in single
    /// countries stay. While the store sells for one of those countries nobody is asked, and renewals cost that price,
    /// whatever an account keeps elsewhere.
    ///
    /// - Parameters:
    ///   - productIdentifier: the product.
    ///   - price: the new price, exact as in `"0.99"`. Anything but digits and a point stops the process.
    /// - Throws: ``SandboxError/unknownProduct(_:)``, ``CatalogError`` for a price at which it cannot be sold, and the
    ///   ledger's errors.
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

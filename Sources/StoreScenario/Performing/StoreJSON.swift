import StoreCore

// The JSON form of a store's objects, used in the results of commands and in the browser console. The keys are also the
// columns of a command's table, in order.

extension SandboxTransaction {
    /// The transaction as JSON.
    package var json: JSONValue {
        [
            "transaction": .string(id), "product": .string(productIdentifier), "quantity": .number(quantity),
            "state": .string("\(state)"), "finished": .bool(isFinished), "origin": .string(origin.rawValue),
            "original": .optional(original), "account": .optional(account), "device": .optional(device),
            "date": .date(date), "expires": .optional(expirationDate), "charge": .optional(chargedAmount),
            "cancelled": .optional(cancellationDate), "refund": .optional(refundedAmount),
            "sharedBy": .optional(sharedBy),
            "failure": .optional(failure.map { $0.word ?? "\($0.domain.rawValue) \($0.code)" }),
        ]
    }
}

extension SandboxSubscription {
    /// The subscription as JSON.
    package var json: JSONValue {
        [
            "group": .string(groupIdentifier), "product": .string(productIdentifier), "state": .string(state.name),
            "transaction": .string(originalTransaction), "since": .date(recentSubscriptionStartDate),
            "periodStart": .date(periodStart),
            "expires": .date(expirationDate), "renews": .bool(willRenew), "renewsAs": .optional(renewsAs),
            "grace": .optional(gracePeriodExpirationDate), "end": .optional(endReason?.rawValue),
            "consent": .optional(priceConsent?.rawValue),
            "offer": .optional(offer?.identifier ?? offer.map { "\($0.kind)" }),
            "payment": .optional(commitment.map { "\($0.billingPeriodNumber) of \($0.totalBillingPeriods)" }),
            "committedUntil": .optional(commitment?.expirationDate),
            "commitmentRenews": commitment.map { .bool($0.willRenew) } ?? .null,
        ]
    }
}

extension SandboxSubscription.State {
    /// The state's name in JSON, where billing retry has kept its first name.
    fileprivate var name: String { self == .inBillingRetryPeriod ? "inBillingRetry" : "\(self)" }
}

extension SandboxEntitlement {
    /// The entitlement as JSON.
    var json: JSONValue {
        [
            "product": .string(productIdentifier), "transaction": .string(transaction), "since": .date(startDate),
            "expires": .optional(expirationDate), "grace": .bool(isInGracePeriod), "sharedBy": .optional(sharedBy),
        ]
    }
}

extension AuthorizationRequest {
    /// The request as JSON.
    package var json: JSONValue {
        [
            "transaction": .string(transaction), "product": .string(productIdentifier), "quantity": .number(quantity),
            "total": .decimal(total), "account": .string(account), "device": .string(device),
            "user": .optional(applicationUsername),
        ]
    }
}

extension InterruptedPurchase {
    /// The purchase as JSON.
    package var json: JSONValue {
        [
            "transaction": .string(transaction), "product": .string(productIdentifier), "quantity": .number(quantity),
            "account": .string(account), "device": .string(device),
        ]
    }
}

extension SandboxProduct {
    /// Returns the product as JSON, including the reason if a store does not sell it.
    package func json(in store: SandboxStore) -> JSONValue {
        [
            "product": .string(identifier), "kind": .string(kind.rawValue), "price": .decimal(price),
            "monthly": .optional(subscription?.billingPlans.first { $0.plan == .monthly }?.price),
            "group": .optional(subscription?.groupIdentifier),
            "members": .array((subscription?.members ?? []).map(JSONValue.string)), "family": .bool(isFamilyShareable),
            "notOnSale": .optional(store.reasonForInvalidity(of: identifier)),
        ]
    }
}

extension SandboxAccount {
    /// Returns the account as JSON.
    ///
    /// If the store is given, the JSON includes the account's devices, and its totals, for which the account's whole
    /// history is read.
    ///
    /// - Throws: the error that prevents reading the ledger.
    package func json(withTotalsIn store: SandboxStore? = nil) throws -> JSONValue {
        var json: JSONValue = ["account": .string(name)]
        if let store {
            json += ["devices": .array(store.devices.filter { $0.account == self }.map { .string($0.name) })]
        }
        json += ["family": .optional(family?.name)]
        if store != nil {
            json += [
                "transactions": .number(try transactions.count), "charged": .decimal(try totalCharged),
                "refunded": .decimal(try totalRefunded),
            ]
        }
        return json + [
            "asksToBuy": .bool(asksToBuy), "interrupted": .bool(interruptsPurchases),
            "billingFails": .bool(billingFails), "shares": .bool(sharesPurchases),
        ]
    }
}

extension SandboxDevice {
    /// The device as JSON.
    package var json: JSONValue {
        [
            "device": .string(name), "account": .optional(account?.name), "payments": .bool(canMakePayments),
            "reachable": .bool(isReachable), "locale": .string(locale),
        ]
    }
}

extension SandboxFamily {
    /// The family as JSON.
    var json: JSONValue { ["family": .string(name), "members": .array(members.map { .string($0.name) })] }
}

extension SandboxTimeline.Entry {
    /// The entry as JSON.
    package var json: JSONValue {
        [
            "date": .date(date), "account": .optional(account), "device": .optional(device),
            "transaction": .optional(transaction), "product": .optional(productIdentifier),
            "quantity": .number(quantity), "what": .string(what),
            "refusal": .optional(refusal.map { "\($0.word ?? "code \($0.code)"): \($0.reason)" }),
        ]
    }
}

import Foundation

// The rules of what apps' servers ask for.
extension SandboxState {
    /// The greatest number of extensions of a subscription within ``extensionSpan``.
    private static var maximumExtensions: Int { 2 }
    /// The time in which extensions are counted: 365 days.
    private static var extensionSpan: TimeInterval { 365 * 86_400 }

    /// Whether a subscription is active: it runs, and its last renewal was charged.
    private func isActive(_ index: SubscriptionIndex) -> Bool {
        subscriptions[index].isRunning && subscriptions.trouble(of: index) == nil
    }

    /// Returns the reason why an active subscription's renewal date is not extended; nil if it is.
    private func refusal(toExtend index: SubscriptionIndex, at now: Date) -> ServerRefusal? {
        let identifier = subscriptions[index].term.original.identifier
        if subscriptions[index].term.offer?.terms.paymentMode == .freeTrial { return .free(identifier) }
        let count = server.extensions(of: index, since: now - Self.extensionSpan)
        return count >= Self.maximumExtensions ? .extendedTooOften(identifier) : nil
    }

    /// Returns the extension of an active subscription's renewal date.
    private func extending(_ index: SubscriptionIndex, _ request: RenewalExtension, _ rate: RenewalRate) -> ServerChange
    {
        let term = subscriptions[index].term
        let end = rate.end(of: .init(request.days, .day), from: term.end)
        return .extended(subscription: index, term.cut(to: end, rate), request)
    }

    /// Returns the extension of the renewal date of the subscription that began with a transaction.
    func extend(
        _ original: TransactionNumber,
        _ request: RenewalExtension,
        at now: Date,
        _ rate: RenewalRate
    ) throws(ServerRefusal) -> ServerChange {
        guard let index = subscriptions.index(ofOriginal: original) else {
            throw .unknownOriginalTransaction(original.identifier)
        }
        guard isActive(index) else { throw .notActive(original.identifier) }
        if let refusal = refusal(toExtend: index, at: now) { throw refusal }
        return extending(index, request, rate)
    }

    /// Returns the extensions of all active subscriptions of a product, and their outcome; none if the request was made
    /// before.
    ///
    /// `isMeant` says of each whether it is in one of the countries.
    func extendAll(
        of product: ProductIndex,
        _ request: RenewalExtension,
        storefronts: [String],
        at now: Date,
        _ rate: RenewalRate,
        where isMeant: (SubscriptionIndex) -> Bool
    ) -> [ServerChange] {
        guard server.massExtension(of: product, request: request.request) == nil else { return [] }
        let meant = subscriptions.indices.filter { index in
            subscriptions[index].term.product == product && isActive(index) && isMeant(index)
        }
        var failed = 0
        let changes = meant.map { index in
            if refusal(toExtend: index, at: now) == nil { return extending(index, request, rate) }
            failed += 1
            return ServerChange.notExtended(subscription: index, request)
        }
        let outcome = MassExtension(
            product: product,
            request: request.request,
            storefronts: storefronts,
            succeeded: meant.count - failed,
            failed: failed
        )
        return changes + [.extendedAll(outcome)]
    }

    /// Returns the finish of an unfinished transaction, nil for one that is finished.
    func finish(byServer number: TransactionNumber) -> ServerChange? {
        withdrawn(number).map { .finished($0) }
    }
}

extension RenewalExtension {
    /// Throws where a request is not one that servers may make.
    func check() throws(ServerRefusal) {
        guard 1...90 ~= days else { throw .invalidDays(days) }
        guard 0...3 ~= reason else { throw .invalidReason(reason) }
        guard 1...128 ~= request.count else { throw .invalidRequestIdentifier(request) }
    }
}

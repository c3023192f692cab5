import Foundation

// The rules of requests by apps' servers.
extension SandboxState {
    /// The maximum number of extensions of a subscription within ``extensionSpan``.
    private static var maximumExtensions: Int { 2 }
    /// The time in which extensions are counted: 365 days.
    private static var extensionSpan: TimeInterval { 365 * 86_400 }

    /// Whether a subscription is active: it runs, its last renewal was charged, and no bundle includes it.
    private func isActive(_ index: SubscriptionIndex) -> Bool {
        subscriptions[index].isRunning && subscriptions.trouble(of: index) == nil
            && subscriptions.bundle(of: index) == nil
    }

    /// Returns the reason why an active subscription's renewal date cannot be extended; nil if it can.
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

    /// Returns the extensions of a product's active subscriptions, and their outcome; empty for a repeated request.
    ///
    /// `isMeant` returns whether the request covers a subscription's country.
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

    /// Returns the finish of a transaction, or nil if it is finished already.
    func finish(byServer number: TransactionNumber) -> ServerChange? { withdrawn(number).map { .finished($0) } }
}

extension RenewalExtension {
    /// Throws if a value of the request is outside the App Store Server API's limits.
    func check() throws(ServerRefusal) {
        guard 1...90 ~= days else { throw .invalidDays(days) }
        guard 0...3 ~= reason else { throw .invalidReason(reason) }
        guard 1...128 ~= request.count else { throw .invalidRequestIdentifier(request) }
    }
}

/// A reason why a sandbox store refuses a server's request; the App Store Server API has a code for each.
package enum ServerRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// The store does not know the transaction: 4040010.
    case unknownTransaction(String)
    /// The store does not know the first transaction of a purchase: 4040005.
    case unknownOriginalTransaction(String)
    /// The transaction is known, but is not the first of its purchase: 4000187.
    case notOriginalTransaction(String)
    /// The transaction is not one of an auto-renewable subscription: 4000008.
    case notSubscription(String)
    /// The subscription is not active, so its renewal date cannot be extended: 4030004.
    case notActive(String)
    /// The current period is free under an offer, so its end cannot be extended: 4030004.
    case free(String)
    /// The renewal date was extended as often as it may be in a year: 4030005.
    case extendedTooOften(String)
    /// The purchase is a family's share: it cannot be extended, 4030007, nor can its token be set, 4000185.
    case familyShared(String)
    /// The number of days is outside of 1 to 90: 4000009.
    case invalidDays(Int)
    /// The reason's code is outside of 0 to 3: 4000010.
    case invalidReason(Int)
    /// The request's identifier is empty, or longer than 128 characters: 4000011.
    case invalidRequestIdentifier(String)
    /// No auto-renewable product has the identifier: 4000023.
    case unknownProduct(String)
    /// The store never returned this revision for a query with these parameters: 4000005.
    case invalidRevision(String)
    /// The consumption report is no JSON object: 4000000.
    case invalidReport

    /// The reason, in one sentence.
    package var description: String {
        switch self {
        case .unknownTransaction(let identifier), .unknownOriginalTransaction(let identifier):
            "no transaction \"\(identifier)\" is known to this store"
        case .notOriginalTransaction(let identifier):
            "the transaction \"\(identifier)\" is not the first of its purchase"
        case .notSubscription(let identifier):
            "the transaction \"\(identifier)\" belongs to no auto-renewable subscription"
        case .notActive(let identifier): "the subscription of \"\(identifier)\" is not active"
        case .free(let identifier): "the running period of \"\(identifier)\" is free, and only a paid one is extended"
        case .extendedTooOften(let identifier):
            "the renewal date of \"\(identifier)\" was extended twice in the last 365 days, which is the most"
        case .familyShared(let identifier): "the transaction \"\(identifier)\" is shared by the family"
        case .invalidDays(let days): "a renewal date is extended by 1 to 90 days, not by \(days)"
        case .invalidReason(let reason): "an extension's reason is 0, 1, 2 or 3, not \(reason)"
        case .invalidRequestIdentifier: "a request's identifier has 1 to 128 characters"
        case .unknownProduct(let identifier): "no auto-renewable product \"\(identifier)\" is registered in this store"
        case .invalidRevision(let revision): "the store gave no revision \"\(revision)\" for this query"
        case .invalidReport: "a report on a consumption is a JSON object"
        }
    }
}

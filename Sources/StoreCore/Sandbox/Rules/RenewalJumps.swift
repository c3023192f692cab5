import Foundation

// The limit of one move of the clock. Each renewal on the way is made and reported one by one.
extension SandboxState {
    /// The greatest number of renewals of a subscription in one move of the clock: daily for 27 years.
    static var maximumRenewalsInOneMove: Int { 10_000 }

    /// Returns the reason why the clock cannot be moved to a moment at once, nil if it can.
    ///
    /// At a quick rate an ordinary interval holds more renewals than intended: a year has a million periods of thirty
    /// seconds.
    func objection(toMovingTo moment: Date, from now: Date, _ rate: RenewalRate) -> String? {
        let most = Double(Self.maximumRenewalsInOneMove)
        // Most moves are too short for any product, so that the subscriptions need not be looked at.
        guard moment.timeIntervalSince(now) > most * rate.shortestPeriod,
            billing.renewalLimit.map({ Double($0) > most }) ?? true
        else { return nil }
        for index in subscriptions.indices {
            guard let period = periodThatGoesOn(index, rate) else { continue }
            let start = subscriptions[index].term.end
            let length = rate.end(of: period, from: start).timeIntervalSince(start)
            // The first renewal is at the end of the running period.
            let renewals = (moment.timeIntervalSince(start) / length).rounded(.down) + 1
            let rest = billing.renewalLimit.map { Double($0) - Double(subscriptions[index].renewals) } ?? .infinity
            let count = min(renewals, rest)
            guard count > most else { continue }
            let product = catalog[subscriptions[index].renewsAs].identifier
            return """
                the clock cannot be moved by \(moment.timeIntervalSince(now)) seconds at once: "\(product)" would be \
                renewed \(Int(count)) times, every \(length) seconds at the store's renewal rate, and \
                \(Self.maximumRenewalsInOneMove) times are the most; move it by as many periods as are meant, or set a \
                renewal limit
                """
        }
        return nil
    }

    /// Returns the period that a subscription renews for when the running one ends, nil where it does not renew.
    private func periodThatGoesOn(_ index: SubscriptionIndex, _ rate: RenewalRate) -> StoreProduct.Period? {
        let subscription = subscriptions[index]
        guard subscription.isRunning, subscription.willRenew,
            catalog.isOnSale(subscription.renewsAs, at: subscription.term.end),
            !(billing.mayFail || subscriptions.hasExceptions) || eventInsteadOfRenewal(of: index, rate) == nil
        else { return nil }
        return catalog.period(of: subscription.renewsAs)
    }
}

extension RenewalRate {
    /// The shortest time that a product's period may last, in seconds.
    fileprivate var shortestPeriod: TimeInterval {
        switch self {
        case .realTime: 86_400
        case .day(let day): day.rawValue
        case .month: end(of: .init(1, .day), from: Date(timeIntervalSince1970: 0)).timeIntervalSince1970
        case .everyPeriod(let length): length.rawValue
        }
    }
}
